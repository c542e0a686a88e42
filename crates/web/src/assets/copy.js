// Gives each text that is there to be pasted a button that copies it. Where a browser allows no script to do so, the text is selected.

for (const text of document.querySelectorAll("pre[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  const said = document.createElement("span");
  said.setAttribute("role", "status");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      said.textContent = " copied";
    } catch {
      getSelection().selectAllChildren(text);
      said.textContent = " selected: copy it by the keyboard";
    }
  });
  text.before(button, said);
}
