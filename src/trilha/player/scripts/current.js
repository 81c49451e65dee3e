// What an earlier page of the launch could not send comes first; then this page is out of date, and is loaded again
// once.
// Resolves to whether the page is as the server has it.
export async function isCurrent(connection) {
  if (history.state?.again || !(await connection.recover())) return true;
  history.replaceState({ again: true }, "");
  location.reload();
  return false;
}

export function word(name, values = {}) {
  const found = document.getElementById("words").content.querySelector(`[data-word="${name}"]`).textContent;
  return found.replace(/\{(\w+)\}/g, (all, key) => values[key] ?? all);
}
