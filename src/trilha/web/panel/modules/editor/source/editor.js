// The editor of a lesson. Without this script the page offers the lesson as Markdown.
import { Editor } from "@tiptap/core";
import { Document } from "@tiptap/extension-document";
import StarterKit from "@tiptap/starter-kit";
import { Accordion, AccordionTitle, Attachment, Callout, Embed, Feedback, Image, Link, Option, Prompt, Question, Video, isLink, tables } from "./nodes.js";

const SAVE_AFTER = 1500; // milliseconds without a keystroke
const place = document.getElementById("lesson");
const form = place.closest("form");
const here = place.dataset.here;
// The further language of the course in which the lesson is written, if any.
const inLanguage = place.dataset.language ? `?language=${place.dataset.language}` : "";
const data = JSON.parse(document.getElementById("lesson-data").textContent);
const words = document.getElementById("lesson-words").content;
const word = (key) => words.querySelector(`[data-word="${key}"]`)?.textContent ?? key;
const status = document.getElementById("lesson-status");
const token = form.elements.csrf_token?.value ?? form.querySelector("input[type=hidden]").value;
let { base, revision } = data;
let dirty = false;
let saving = null;
let timer = null;
let stopped = false;

async function send(path, fields, options = {}) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  const plain = [...body.values()].every((value) => typeof value === "string");
  const answer = await fetch(here + path, {
    method: "POST",
    headers: { "x-csrf-token": token },
    body: plain ? new URLSearchParams(body) : body,
    ...options,
  });
  const said = await answer.json().catch(() => ({ message: word("failed") }));
  if (!answer.ok) throw Object.assign(new Error(said.message || word("failed")), { code: said.code });
  return said;
}

const say = (text, state = "") => {
  status.textContent = text;
  status.dataset.state = state;
};
const time = (at) => new Intl.DateTimeFormat(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" }).format(new Date(at));

async function save() {
  if (saving || !dirty || stopped) return;
  dirty = false;
  say(word("saving"));
  try {
    saving = send(`/draft${inLanguage}`, { document: JSON.stringify(editor.getJSON()), base, revision });
    const saved = await saving;
    revision = saved.revision;
    say(word("saved").replace("{time}", time(saved.saved_at)));
  } catch (error) {
    dirty = true;
    if (error.code === "lesson_draft_changed") stopped = true;
    say(`${word("unsaved")} ${error.code ? error.message : ""}`.trim(), "bad");
    if (!error.code) later(10 * SAVE_AFTER); // the network
  } finally {
    saving = null;
    if (dirty && !timer && !stopped && status.dataset.state !== "bad") later();
  }
}

function later(after = SAVE_AFTER) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    timer = null;
    save();
  }, after);
}

// Asks for values in a dialog. Returns null if it was closed.
function ask(title, fields) {
  const dialog = document.createElement("dialog");
  dialog.className = "dialog";
  dialog.setAttribute("aria-label", title);
  const inner = document.createElement("form");
  inner.method = "dialog";
  inner.className = "form";
  const heading = document.createElement("h2");
  heading.textContent = title;
  inner.append(heading);
  for (const [name, { label, value = "", type = "text", options }] of Object.entries(fields)) {
    const field = document.createElement("label");
    field.className = type === "checkbox" ? "check" : "field";
    const input = document.createElement(options ? "select" : "input");
    if (options) input.append(...options.map(([key, text]) => new Option_(text, key, false, key === value)));
    else input.type = type;
    input.name = name;
    input.className = type === "checkbox" ? "" : "input";
    if (type === "checkbox") input.checked = value;
    else if (type !== "file") input.value = value;
    const caption = document.createElement("span");
    caption.className = "field__label";
    caption.textContent = label;
    field.append(...(type === "checkbox" ? [input, caption] : [caption, input]));
    inner.append(field);
  }
  const buttons = document.createElement("div");
  buttons.className = "form__actions";
  for (const [value, text, className] of [["ok", word("ok"), "btn btn--primary"], ["", word("cancel"), "btn"]]) {
    const button = document.createElement("button");
    button.className = className;
    button.value = value;
    button.textContent = text;
    buttons.append(button);
  }
  inner.append(buttons);
  dialog.append(inner);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => {
    const values = Object.fromEntries(Object.keys(fields).map((name) => {
      const input = inner.elements[name];
      return [name, input.type === "checkbox" ? input.checked : input.type === "file" ? input.files[0] : input.value.trim()];
    }));
    const accepted = dialog.returnValue === "ok";
    dialog.remove();
    editor.commands.focus();
    resolve(accepted ? values : null);
  }));
}
const Option_ = window.Option;

const set = (at, attributes) => editor.commands.command(({ tr }) => {
  for (const [name, value] of Object.entries(attributes)) tr.setNodeAttribute(at, name, value);
  return true;
});

const edits = {
  async image(node, at) {
    const said = await ask(word("image"), {
      alt: { label: word("alt_label"), value: node.attrs.alt },
      decorative: { label: word("decorative_label"), value: node.attrs.decorative, type: "checkbox" },
    });
    if (said) set(at, said);
  },
  async video(node, at) {
    const said = await ask(word("video"), {
      title: { label: word("title"), value: node.attrs.title },
      captions: { label: word("captions"), type: "file" },
      language: { label: word("language"), value: "pt-BR", options: [["pt-BR", "Português"], ["en", "English"], ["es", "Español"]] },
    });
    if (!said) return;
    const captions = [...node.attrs.captions];
    if (said.captions) {
      const file = await upload(said.captions);
      if (file?.kind === "captions") captions.push({ file: file.id, language: said.language });
    }
    set(at, { title: said.title, captions });
  },
  async embed(node, at) {
    const said = await ask("YouTube / Vimeo", { title: { label: word("title"), value: node.attrs.title } });
    if (said) set(at, said);
  },
  async attachment(node, at) {
    const said = await ask(word("file"), { name: { label: word("name"), value: node.attrs.name } });
    if (said) set(at, said);
  },
};
const edit = (_, node, at) => edits[node.type.name](node, at);

async function upload(file) {
  say(word("uploading").replace("{name}", file.name));
  try {
    const stored = await send("/files", { file });
    say("");
    return stored;
  } catch (error) {
    say(`${file.name}: ${error.message}`, "bad");
    return null;
  }
}

async function insertFiles(files) {
  for (const file of files) {
    const stored = await upload(file);
    if (!stored) continue;
    const title = stored.name.replace(/\.[^.]+$/, "");
    const node = {
      image: { type: "image", attrs: { file: stored.id, alt: "", decorative: false } },
      video: { type: "video", attrs: { file: stored.id, title, captions: [] } },
      attachment: { type: "attachment", attrs: { file: stored.id, name: stored.name } },
    }[stored.kind];
    if (!node) continue;
    editor.chain().focus().insertContent(node).run();
    if (stored.kind === "image") await askForAlt(stored.id);
  }
}

async function askForAlt(file) {
  let found = null;
  editor.state.doc.descendants((node, at) => {
    if (node.type.name === "image" && node.attrs.file === file && !node.attrs.alt) found = [node, at];
  });
  if (found) await edits.image(...found);
}

function choose(accept) {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = accept;
  return new Promise((resolve) => {
    input.addEventListener("change", () => resolve(input.files[0]));
    input.click();
  });
}

const text = (words) => (words ? [{ type: "text", text: words }] : []);
const paragraph = { type: "paragraph" };
const insert = (node) => editor.chain().focus().insertContent(node).run();

// What the buttons and the "/" menu do, by name.
const commands = {
  paragraph: () => editor.chain().focus().setParagraph().run(),
  h2: () => editor.chain().focus().toggleHeading({ level: 2 }).run(),
  h3: () => editor.chain().focus().toggleHeading({ level: 3 }).run(),
  h4: () => editor.chain().focus().toggleHeading({ level: 4 }).run(),
  bold: () => editor.chain().focus().toggleBold().run(),
  italic: () => editor.chain().focus().toggleItalic().run(),
  strike: () => editor.chain().focus().toggleStrike().run(),
  code: () => editor.chain().focus().toggleCode().run(),
  bullets: () => editor.chain().focus().toggleBulletList().run(),
  numbers: () => editor.chain().focus().toggleOrderedList().run(),
  quote: () => editor.chain().focus().toggleBlockquote().run(),
  codeblock: () => editor.chain().focus().toggleCodeBlock().run(),
  divider: () => editor.chain().focus().setHorizontalRule().run(),
  undo: () => editor.chain().focus().undo().run(),
  redo: () => editor.chain().focus().redo().run(),
  table: () => editor.chain().focus().insertTable({ rows: 3, cols: 3, withHeaderRow: true }).run(),
  row: () => editor.chain().focus().addRowAfter().run(),
  column: () => editor.chain().focus().addColumnAfter().run(),
  delete_row: () => editor.chain().focus().deleteRow().run(),
  delete_column: () => editor.chain().focus().deleteColumn().run(),
  delete_table: () => editor.chain().focus().deleteTable().run(),
  callout: () => insert({ type: "callout", attrs: { kind: "info" }, content: [paragraph] }),
  accordion: () => insert({ type: "accordion", content: [{ type: "accordionTitle", content: text(word("accordion_title")) }, paragraph] }),
  question: () => insert({ type: "question", attrs: { kind: "single" }, content: [
    { type: "questionPrompt" }, { type: "questionOption", attrs: { right: true } }, { type: "questionOption" }, { type: "questionFeedback" }] }),
  async image() {
    const file = await choose("image/png,image/jpeg,image/webp");
    if (file) await insertFiles([file]);
  },
  async file() {
    const file = await choose("application/pdf,.pdf,video/mp4,video/webm");
    if (file) await insertFiles([file]);
  },
  async video() {
    const said = await ask(word("embed_title"), { address: { label: word("embed_address") }, title: { label: word("title") } });
    if (!said) return;
    const youtube = said.address.match(/(?:youtube\.com\/(?:watch\?(?:.*&)?v=|embed\/|shorts\/)|youtu\.be\/)([A-Za-z0-9_-]{11})/);
    const vimeo = said.address.match(/vimeo\.com\/(?:video\/)?(\d{6,12})/);
    if (!youtube && !vimeo) return say(word("embed_unknown"), "bad");
    insert({ type: "embed", attrs: { provider: youtube ? "youtube" : "vimeo", video: (youtube ?? vimeo)[1], title: said.title } });
  },
  async link() {
    const said = await ask(word("link"), { href: { label: word("link_address"), value: editor.getAttributes("link").href ?? "https://" } });
    if (!said) return;
    const chain = editor.chain().focus().extendMarkRange("link");
    if (!said.href || said.href === "https://") chain.unsetMark("link").run();
    else if (!isLink(said.href)) say(word("link_unknown"), "bad");
    else if (editor.state.selection.empty && !editor.isActive("link")) chain.insertContent({ type: "text", text: said.href, marks: [{ type: "link", attrs: { href: said.href } }] }).run();
    else chain.setMark("link", { href: said.href }).run();
  },
  async import() {
    const file = await choose(".docx,.md,.markdown,.txt");
    if (!file) return;
    say(word("uploading").replace("{name}", file.name));
    try {
      const said = /\.docx$/i.test(file.name) ? await send("/word", { file }) : await send("/markdown", { body: await file.text() });
      editor.chain().focus("end").insertContent(said.document.content).run();
    } catch (error) {
      say(`${file.name}: ${error.message}`, "bad");
    }
  },
};

const active = {
  h2: ["heading", { level: 2 }], h3: ["heading", { level: 3 }], h4: ["heading", { level: 4 }], bold: ["bold"], italic: ["italic"],
  strike: ["strike"], code: ["code"], link: ["link"], bullets: ["bulletList"], numbers: ["orderedList"], quote: ["blockquote"],
};

const area = document.getElementById("lesson-area");
const options = { word, edit };
const editor = new Editor({
  element: area,
  injectCSS: false,
  content: data.document,
  editorProps: {
    attributes: { class: "lessontext articletext", role: "textbox", "aria-multiline": "true", "aria-label": word("lesson") },
    handlePaste: (_, event) => takeFiles(event, event.clipboardData),
    handleDrop: (_, event, __, moved) => !moved && takeFiles(event, event.dataTransfer),
    transformPastedHTML: cleanWord,
  },
  extensions: [
    Document.extend({ content: "(block | question)+" }),
    StarterKit.configure({ document: false, heading: { levels: [2, 3, 4] }, link: false, underline: false, trailingNode: false }),
    Link, ...tables, Accordion, AccordionTitle, Prompt, Feedback,
    ...[Image, Video, Embed, Attachment, Callout, Question, Option].map((each) => each.configure(options)),
  ],
  onUpdate() {
    dirty = true;
    later();
    suggest();
  },
  onTransaction: () => mark(),
});

function takeFiles(event, transfer) {
  const files = [...(transfer?.files ?? [])];
  if (!files.length || transfer.types.includes("text/html")) return false;
  event.preventDefault();
  insertFiles(files);
  return true;
}

// Word's list paragraphs become lists; its comments, bookmarks and styles go.
function cleanWord(html) {
  if (!/class="?Mso|urn:schemas-microsoft-com/.test(html)) return html;
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const each of page.querySelectorAll("style, xml, meta, link, title")) each.remove();
  let list = null;
  for (const p of page.querySelectorAll("p")) {
    if (!/MsoListParagraph/.test(p.className) && !/mso-list:/.test(p.getAttribute("style") ?? "")) {
      list = null;
      continue;
    }
    const tag = /^\s*(\d+|[a-z]+)[.)]/i.test(p.textContent) ? "ol" : "ul";
    if (!list || list.localName !== tag || list.nextElementSibling !== p) {
      list = page.createElement(tag);
      p.before(list);
    }
    for (const sign of p.querySelectorAll('[style*="mso-list"]')) sign.remove();
    const item = page.createElement("li");
    item.append(...p.childNodes);
    list.append(item);
    p.remove();
  }
  return page.body.innerHTML;
}

// The toolbar: one tab stop, arrow keys between its buttons.
const bar = document.getElementById("lesson-toolbar");
const buttons = [...bar.querySelectorAll("button")];
for (const button of buttons) {
  button.tabIndex = button === buttons[0] ? 0 : -1;
  button.addEventListener("click", () => commands[button.dataset.command]());
}
bar.addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
  if (!step) return;
  event.preventDefault();
  const shown = buttons.filter((button) => !button.closest("[hidden]"));
  const at = shown.indexOf(document.activeElement);
  const next = step === Infinity ? shown.at(-1) : step === -Infinity ? shown[0] : shown[(at + step + shown.length) % shown.length];
  for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
  next.focus();
});

function mark() {
  if (!bar) return;
  for (const button of buttons) {
    const name = active[button.dataset.command];
    if (name) button.setAttribute("aria-pressed", String(editor.isActive(...name)));
  }
  document.getElementById("lesson-table").hidden = !editor.isActive("table");
}

// The "/" menu, in an empty paragraph.
const menu = document.getElementById("lesson-menu");
let choices = [];
let current = 0;
function suggest() {
  const { $from, empty } = editor.state.selection;
  const typed = empty && $from.parent.type.name === "paragraph" ? $from.parent.textContent.match(/^\/(\S*)$/) : null;
  menu.hidden = !typed;
  if (!typed) return;
  const wanted = typed[1].toLocaleLowerCase();
  choices = buttons.filter((each) => each.dataset.block !== undefined && each.textContent.trim().toLocaleLowerCase().includes(wanted));
  menu.hidden = !choices.length;
  current = 0;
  draw();
  const at = editor.view.coordsAtPos($from.pos);
  const frame = place.getBoundingClientRect();
  menu.style.insetBlockStart = `${at.bottom - frame.top + 4}px`;
  menu.style.insetInlineStart = `${Math.min(at.left - frame.left, frame.width - 240)}px`;
}
function draw() {
  menu.replaceChildren(...choices.map((each, n) => {
    const item = document.createElement("li");
    item.id = `lesson-menu-${n}`;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", String(n === current));
    item.textContent = each.textContent.trim();
    item.addEventListener("mousedown", (event) => {
      event.preventDefault();
      pick(n);
    });
    return item;
  }));
  editor.view.dom.setAttribute("aria-activedescendant", `lesson-menu-${current}`);
}
function pick(n) {
  const { $from } = editor.state.selection;
  menu.hidden = true;
  editor.view.dom.removeAttribute("aria-activedescendant");
  editor.chain().focus().deleteRange({ from: $from.start(), to: $from.end() }).run();
  commands[choices[n].dataset.command]();
}
area.addEventListener("keydown", (event) => {
  if (menu.hidden) {
    if (event.altKey && event.key === "F10") {
      event.preventDefault();
      buttons.find((each) => each.tabIndex === 0).focus();
    }
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) current = (current + step + choices.length) % choices.length;
  else if (event.key === "Enter") pick(current);
  else if (event.key === "Escape") menu.hidden = true;
  else return;
  if (step) draw();
  event.preventDefault();
  event.stopPropagation();
}, true);

// Publishing sends the document with the form.
form.addEventListener("submit", () => {
  form.elements.document.value = JSON.stringify(editor.getJSON());
  form.elements.base.value = base;
  dirty = false;
  stopped = true;
});
window.addEventListener("pagehide", () => {
  if (dirty && !stopped) send(`/draft${inLanguage}`, { document: JSON.stringify(editor.getJSON()), base, revision }, { keepalive: true }).catch(() => {});
});
document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && save());

for (const each of document.querySelectorAll("[data-lesson-script]")) each.hidden = false;
for (const each of document.querySelectorAll("[data-lesson-plain]")) each.hidden = true;
if (data.saved_at) say(word("saved").replace("{time}", time(data.saved_at)));
