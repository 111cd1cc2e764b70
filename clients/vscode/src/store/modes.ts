/** What a session may do unasked, in words. */

export const MODES = [
  { value: "ask", label: "Ask", detail: "Asks before every edit and command." },
  {
    value: "acceptEdits",
    label: "Accept edits",
    detail: "Edits files of the folder unasked; asks before commands.",
  },
  { value: "plan", label: "Plan", detail: "Only reads, and presents a plan." },
  { value: "allowAll", label: "Allow all", detail: "Asks for nothing. Only where nothing can be lost." },
];
