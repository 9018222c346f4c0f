// What makes the pages a little quicker to use. Each works whole without it.
"use strict";

for (const form of document.querySelectorAll("form[data-auto]")) {
  for (const field of form.querySelectorAll("select, input[type=date]")) {
    field.addEventListener("change", () => form.requestSubmit());
  }
}

for (const field of document.querySelectorAll("input[data-filter]")) {
  const items = [...document.querySelectorAll(`${field.dataset.filter} > [data-text]`)];
  const told = document.querySelector("[data-count]");
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    let shown = 0;
    for (const item of items) {
      item.hidden = !item.dataset.text.includes(wanted);
      shown += item.hidden ? 0 : 1;
    }
    if (told) told.textContent = `${shown} fact${shown === 1 ? "" : "s"}`;
  });
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.querySelector(button.dataset.copy).textContent);
    button.textContent = "Copied";
  });
}
