// The few things we ask of the document.

/** The element that the template promises under this id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element as T;
}

export function text(element: HTMLElement, content: string): void {
  if (element.textContent !== content) element.textContent = content;
}

/** Runs `action` on a click, and gives the keyboard back to the page when the click came from a pointer. */
export function onPress(button: HTMLElement, action: () => void): void {
  button.addEventListener("click", (event) => {
    action();
    if (event.detail > 0) button.blur();
  });
}
