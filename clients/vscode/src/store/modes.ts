/** What a session may do unasked, in words. */

export const MODES = [
  { value: "ask", label: "Ask first", detail: "Asks before every edit and command." },
  {
    value: "acceptEdits",
    label: "Accept edits",
    detail: "Edits files of the folder unasked; asks before commands.",
  },
  { value: "plan", label: "Plan", detail: "Only reads, and presents a plan." },
  {
    value: "allowAll",
    label: "Allow all",
    detail: "Asks for nothing. Use it only where nothing can be lost.",
  },
];
