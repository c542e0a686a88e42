// Adds a copy button to each text with data-copy. If the browser denies clipboard access, the button selects the text.

for (const text of document.querySelectorAll("pre[data-copy]")) {
  // A server that does not know its public address writes only the path.
  text.textContent = text.textContent.replace('<iframe src="/', `<iframe src="${location.origin}/`);
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  const status = document.createElement("span");
  status.setAttribute("role", "status");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      status.textContent = " copied";
    } catch {
      getSelection().selectAllChildren(text);
      status.textContent = " selected: press Ctrl+C or \u2318C to copy";
    }
  });
  text.before(button, status);
}
