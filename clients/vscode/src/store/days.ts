/** Days as people name them. Pure. */

const DAY = 24 * 60 * 60 * 1000; // milliseconds
const WEEK = 7; // days

/** "Today", "Yesterday", a day of this week by its name, else the date. */
export function dayOf(date: Date, now: Date): string {
  const passed = Math.round((midnight(now) - midnight(date)) / DAY); // a day of 23 or 25 hours is one, too
  if (passed <= 0) return "Today";
  if (passed === 1) return "Yesterday";
  if (passed < WEEK) return date.toLocaleDateString("en", { weekday: "long" });
  const isThisYear = date.getFullYear() === now.getFullYear();
  return date.toLocaleDateString("en", {
    day: "numeric",
    month: "long",
    ...(isThisYear ? {} : { year: "numeric" }),
  });
}

function midnight(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
