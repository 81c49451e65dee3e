// Sends what an earlier page of this launch left unsent. That makes this page out of date, so it is reloaded once.
// Resolves to whether the page is up to date.
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
