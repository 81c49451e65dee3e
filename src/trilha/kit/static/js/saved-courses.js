// On the page that says what works offline: the courses and modules that are saved on this device.
const ID = "[0-9a-f-]{36}";
const COURSE = new RegExp(`^/learn/enrollments/${ID}$`);

customElements.define("saved-courses", class extends HTMLElement {
  async connectedCallback() {
    const name = "caches" in window && (await caches.keys()).find((each) => each.startsWith("trilha.pages."));
    if (!name) return;
    const cache = await caches.open(name);
    const paths = (await cache.keys()).map((each) => new URL(each.url).pathname);
    const courses = paths.filter((each) => COURSE.test(each));
    if (!courses.length) return;
    const list = this.querySelector("ul");
    for (const course of courses) {
      const item = await this.#item(cache, course);
      const modules = paths.filter((each) => each.startsWith(`${course}/`) && paths.includes(`${each}/launches`));
      const inner = document.createElement("ul");
      for (const each of modules) inner.append(await this.#item(cache, each));
      if (modules.length) item.append(inner);
      list.append(item);
    }
    list.hidden = false;
    this.querySelector("[data-empty]").hidden = true;
  }

  async #item(cache, path) {
    const page = new DOMParser().parseFromString(await (await cache.match(path)).text(), "text/html");
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = path;
    link.textContent = page.querySelector("h1")?.textContent.trim() || path;
    item.append(link);
    return item;
  }
});
