// What one can do, once: the keyboard, the tool buttons and the help list are all made from this table.

import { onPress } from "./dom";

export interface Command {
  /** `KeyboardEvent.key`, lower case for letters; the first is shown in the help, unless `keyName` says otherwise. */
  keys: string[];
  keyName?: string;
  /** In the help list. */
  what: string;
  run(): void;
  /** Present for switches: whether it is on. */
  on?: () => boolean;
  /** Id of the button that does the same. */
  button?: string;
}

export function bindKeys(commands: Command[]): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inSlider = event.target instanceof HTMLInputElement;
    if (inSlider && /^(Arrow|Home|End|Page)/.test(event.key)) return;
    if (event.target instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter")) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const key = event.shiftKey && name.startsWith("Arrow") ? `Shift+${name}` : name;
    const command = commands.find(({ keys }) => keys.includes(key));
    if (!command) return;
    event.preventDefault();
    command.run();
  });
}

export function bindButtons(commands: Command[]): void {
  for (const command of commands) {
    const button = command.button && document.getElementById(command.button);
    if (!button) continue;
    button.title = `${command.what} (${command.keyName ?? command.keys[0]})`;
    button.setAttribute("aria-label", command.what);
    onPress(button, () => command.run());
  }
}

/** Shows which switches are on. */
export function reflectSwitches(commands: Command[]): void {
  for (const { button, on } of commands) {
    if (button && on) document.getElementById(button)?.setAttribute("aria-pressed", String(on()));
  }
}

export function fillHelp(list: HTMLElement, commands: Command[]): void {
  for (const command of commands) {
    const key = document.createElement("dt");
    for (const name of (command.keyName ?? command.keys[0] ?? "").split(" ")) {
      const cap = document.createElement("kbd");
      cap.textContent = name;
      key.append(cap);
    }
    const what = document.createElement("dd");
    what.textContent = command.what;
    const row = document.createElement("div");
    row.append(key, what);
    list.append(row);
  }
}
