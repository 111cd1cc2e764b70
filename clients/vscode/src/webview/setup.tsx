/** The first run: one card that leads to the first prompt, and what the empty chat says from then on. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ProviderListResult, ProviderModelsResult } from "../protocol.gen";
import { Button } from "./button";
import { Icon } from "./icon";
import { host, type Model } from "./model";
import { visible } from "./visible";

export function Welcome() {
  return (
    <div class="welcome">
      <h2>What should I change?</h2>
      <p class="faint">
        It asks before it edits or runs anything, and each change can be kept or undone in the file itself.
      </p>
      <ul class="faint keys">
        <li>
          <kbd>@</kbd> points at a file, a symbol, or the problems
        </li>
        <li>
          <kbd>/</kbd> shows the commands
        </li>
      </ul>
    </div>
  );
}

export function Setup({ model }: { model: Model }) {
  const { state } = model.server;
  return (
    <div class="welcome">
      <section class="setup" aria-label="Set up">
        <h2>Set up agls</h2>
        <Step done={state === "ready"} label="Server">
          <ServerStep model={model} />
        </Step>
        <Step done={false} waits={state !== "ready"} label="Model">
          {state === "ready" &&
            (model.isMistake ? <Mistake text={model.problem} /> : <ModelStep model={model} />)}
        </Step>
      </section>
    </div>
  );
}

interface StepProps {
  done: boolean;
  waits?: boolean;
  label: string;
  children: preact.ComponentChildren;
}

function Step({ done, waits = false, label, children }: StepProps) {
  return (
    <section class={`step ${done ? "done" : waits ? "waits" : "now"}`} aria-label={label}>
      <h3>
        <Icon name={done ? "pass-filled" : "circle-large"} /> {label}
        {done && <span class="unseen"> done</span>}
      </h3>
      <div class="inside">{children}</div>
    </section>
  );
}

function ServerStep({ model }: { model: Model }) {
  const { state, problem } = model.server;
  if (state === "ready") return <p class="faint">Runs on this machine.</p>;
  if (model.progress)
    return (
      <>
        <p role="status">
          <Icon name="loading" spins /> {visible(model.progress)}
        </p>
        <div class="choices">
          <Button message={{ type: "stopSetup" }}>Cancel</Button>
        </div>
      </>
    );
  if (state === "starting")
    return (
      <p role="status">
        <Icon name="loading" spins /> Starting…
      </p>
    );
  if (state === "missing")
    return (
      <>
        <p>
          A Python program (3.11 or newer) that comes with this extension. It gets an environment of its own.
        </p>
        <div class="choices">
          <Button class="primary" message={{ type: "command", command: "agls.server.install" }}>
            Set up the server
          </Button>
        </div>
      </>
    );
  return (
    <>
      <p class="problem" role="alert">
        {visible(problem)}
      </p>
      <div class="choices">
        <Button class="primary" message={{ type: "command", command: "agls.server.restart" }}>
          Try again
        </Button>
        <Button message={{ type: "command", command: "agls.server.install" }}>Reinstall the server</Button>
        <Button message={{ type: "command", command: "agls.server.logs" }}>Open log</Button>
      </div>
    </>
  );
}

/** The configuration cannot be read: until it is corrected no choice could be written into it. */
function Mistake({ text }: { text: string }) {
  return (
    <>
      <p class="problem" role="alert">
        {visible(text)}
      </p>
      <div class="choices">
        <Button class="primary" message={{ type: "command", command: "agls.config.open" }}>
          Edit config.toml
        </Button>
      </div>
    </>
  );
}

const OTHER = "other";

function ModelStep({ model }: { model: Model }) {
  const { offered } = model.providers;
  useEffect(() => host.postMessage({ type: "providers" }), []);
  if (!offered)
    return (
      <p role="status">
        <Icon name="loading" spins /> Looking for model servers on this machine…
      </p>
    );
  return (
    <>
      <OfEditor names={model.models.map(({ name }) => name).filter((name) => name.startsWith("editor/"))} />
      <Local offered={offered} />
      <Provider model={model} offered={offered} />
      <p class="faint">
        Your choice is written to config.toml.{" "}
        <Button class="link" message={{ type: "command", command: "agls.config.open" }}>
          Edit config.toml
        </Button>
      </p>
    </>
  );
}

/** A provider is chosen, its key given, and one of the models taken that it lists. */
function Provider({ model, offered }: { model: Model; offered: ProviderListResult }) {
  const { listed, listing } = model.providers;
  const [provider, setProvider] = useState("");
  const [address, setAddress] = useState("");
  const [key, setKey] = useState("");
  const source = provider === OTHER ? { baseUrl: address.trim() } : { provider };
  const list = (event: Event) => {
    event.preventDefault();
    host.postMessage({ type: "listModels", ...source, key });
    setKey("");
  };
  const change = (value: string) => {
    setProvider(value);
    model.choose(value !== "");
    model.forgetListed();
  };
  const readdress = (value: string) => {
    setAddress(value);
    model.forgetListed();
  };
  const isReady = provider !== OTHER || address.trim() !== "";
  return (
    <>
      <form class="provider" onSubmit={list}>
        <label>
          Provider
          <select value={provider} onChange={(event) => change(event.currentTarget.value)}>
            <option value="">Choose…</option>
            {offered.providers.map(({ name, hasKey }) => (
              <option value={name}>
                {TITLES[name] ?? name}
                {hasKey ? " (key is there)" : ""}
              </option>
            ))}
            <option value={OTHER}>Another server…</option>
          </select>
        </label>
        {provider === OTHER && (
          <Text label="Address" value={address} set={readdress} placeholder="models.example.com/v1" />
        )}
        {provider !== "" && <KeyField offered={offered} provider={provider} value={key} set={setKey} />}
        {provider !== "" && !listed?.models.length && (
          <div class="choices">
            <button type="submit" class="primary" disabled={!isReady || listing}>
              {listing ? "Asking…" : "Show its models"}
            </button>
          </div>
        )}
      </form>
      {listed && (
        <Listed
          listed={listed}
          use={(name) => {
            const place = listed.baseUrl ? { baseUrl: listed.baseUrl } : source;
            host.postMessage({ type: "useModel", ...place, model: name });
            model.choose(false);
          }}
        />
      )}
    </>
  );
}

interface TextProps {
  label: string;
  value: string;
  set: (value: string) => void;
  placeholder: string;
  secret?: boolean;
}

function Text({ label, value, set, placeholder, secret = false }: TextProps) {
  return (
    <label>
      {label}
      <input
        type={secret ? "password" : "text"}
        autocomplete="off"
        spellcheck={false}
        value={value}
        placeholder={placeholder}
        onInput={(event) => set(event.currentTarget.value)}
      />
    </label>
  );
}

interface KeyProps {
  offered: ProviderListResult;
  provider: string;
  value: string;
  set: (value: string) => void;
}

function KeyField({ offered, provider, value, set }: KeyProps) {
  const isThere = offered.providers.some(({ name, hasKey }) => name === provider && hasKey);
  const placeholder = isThere ? "The key that is there" : "Kept by the editor";
  const label = provider === OTHER ? "Key, if it wants one" : "Key";
  return <Text label={label} value={value} set={set} placeholder={placeholder} secret />;
}

/** The models that a server listed, to take one; or why it did not list them. */
function Listed({ listed, use }: { listed: ProviderModelsResult; use: (name: string) => void }) {
  const [chosen, setChosen] = useState("");
  const field = useRef<HTMLSelectElement>(null);
  const { models, problem = "", hint = "" } = listed;
  useLayoutEffect(() => field.current?.focus(), [models]); // the button that asked for them is gone
  if (problem)
    return (
      <p class="problem" role="alert">
        {visible(`${problem} ${hint}`.trim())}
      </p>
    );
  if (models.length === 0) return <p>It lists no models.</p>;
  const name = chosen || (models[0]?.name ?? "");
  const take = (event: Event) => {
    event.preventDefault();
    use(name);
  };
  return (
    <form class="provider" onSubmit={take}>
      <label>
        Model
        <select ref={field} value={name} onChange={(event) => setChosen(event.currentTarget.value)}>
          {models.map((row) => (
            <option value={row.name}>{visible(row.name)}</option>
          ))}
        </select>
      </label>
      <div class="choices">
        <button type="submit" class="primary">
          Use this model
        </button>
      </div>
    </form>
  );
}

const TITLES: Record<string, string> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  gemini: "Gemini",
  openrouter: "OpenRouter",
  deepseek: "DeepSeek",
  mistral: "Mistral",
  xai: "xAI",
  groq: "Groq",
};

/** Models that the editor has by an account of its own, such as those of Copilot: it asks before they are used. */
function OfEditor({ names }: { names: string[] }) {
  if (names.length === 0) return null;
  return (
    <ul class="local" aria-label="Models of this editor">
      {names.map((name) => (
        <li>
          <Icon name="vscode" /> <span>{visible(name.replace("editor/", ""))}</span>
          <Button
            class="primary"
            aria-label={`Use ${visible(name)}`}
            message={{ type: "useModel", model: name }}
          >
            Use
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** Model servers of this machine: found with what they have, or not. */
function Local({ offered }: { offered: ProviderListResult }) {
  if (!offered.looked) return null;
  const models = offered.local.flatMap(({ models: names }) => names);
  if (models.length === 0)
    return (
      <p class="faint">
        No model server runs on this machine (Ollama, LM Studio, llama.cpp, vLLM).{" "}
        <Button class="link" message={{ type: "providers" }}>
          Look again
        </Button>
      </p>
    );
  return (
    <ul class="local" aria-label="Models on this machine">
      {models.map((name) => (
        <li>
          <Icon name="vm" /> <span>{visible(name)}</span>
          <Button
            class="primary"
            aria-label={`Use ${visible(name)}`}
            message={{ type: "useModel", model: name }}
          >
            Use
          </Button>
        </li>
      ))}
    </ul>
  );
}
