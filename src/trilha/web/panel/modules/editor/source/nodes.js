// The blocks of a lesson beyond those of Tiptap's starter kit. The server checks the same allow-list.
import { Mark, Node, mergeAttributes } from "@tiptap/core";
import { Table, TableCell, TableHeader, TableRow } from "@tiptap/extension-table";

const LINK = /^(https?:\/\/|mailto:|tel:)[^\s"'<>\\`{}|^]+$/i;
export const isLink = (text) => LINK.test(text);
const attribute = (fallback) => ({ default: fallback, rendered: false });
const element = (tag, className, text = "") => {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
};

export const Link = Mark.create({
  name: "link",
  inclusive: false,
  addAttributes: () => ({ href: { default: "" } }),
  parseHTML: () => [{ tag: "a[href]", getAttrs: (a) => isLink(a.getAttribute("href") ?? "") && { href: a.getAttribute("href") } }],
  renderHTML: ({ HTMLAttributes }) => ["a", { href: HTMLAttributes.href, rel: "noopener noreferrer" }, 0],
});

// A block without text: a box that shows what it is, with a button to change it.
function box(name, attributes, describe) {
  return Node.create({
    name,
    group: "block",
    atom: true,
    draggable: true,
    addOptions: () => ({ edit: () => {}, word: (key) => key }),
    addAttributes: () => Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, attribute(value)])),
    renderHTML: () => ["div", { "data-block": name }],
    addNodeView() {
      const { edit, word } = this.options;
      return ({ node, getPos, editor }) => {
        const dom = element("div", `lessonbox lessonbox--${name}`);
        const draw = (current) => {
          dom.replaceChildren(...describe(current.attrs, word));
          const button = element("button", "btn btn--small", word(name === "image" ? "alt" : "edit"));
          button.type = "button";
          button.addEventListener("click", () => edit(editor, current, getPos()));
          dom.append(button);
        };
        draw(node);
        return {
          dom,
          stopEvent: (event) => event.target.closest?.("button") !== null && event.type !== "dragstart",
          update(next) {
            if (next.type.name !== name) return false;
            draw(next);
            return true;
          },
        };
      };
    },
  });
}

export const Image = box("image", { file: "", alt: "", decorative: false }, ({ file, alt, decorative }, word) => {
  const picture = element("img", "picture");
  picture.src = `/admin/media/${file}`;
  picture.alt = alt;
  const note = element("p", alt || decorative ? "small muted" : "field__error", decorative ? word("decorative") : alt || word("no_alt"));
  return [picture, note];
});
export const Video = box("video", { file: "", title: "", captions: [] }, ({ title, captions }, word) => [
  element("p", "lessonbox__kind", word("video")), element("p", "", title || word("untitled")),
  element("p", "small muted", captions.map((each) => each.language).join(", ") || word("no_captions")),
]);
export const Embed = box("embed", { provider: "youtube", video: "", title: "" }, ({ provider, title }, word) => [
  element("p", "lessonbox__kind", provider === "youtube" ? "YouTube" : "Vimeo"), element("p", "", title || word("untitled")),
]);
export const Attachment = box("attachment", { file: "", name: "" }, ({ name }, word) => [
  element("p", "lessonbox__kind", word("file")), element("p", "", name),
]);

// A block with a choice above its content.
function choice(className, options, current, label, choose) {
  const select = element("select", "input input--small");
  select.setAttribute("aria-label", label);
  for (const [value, words] of options) {
    const option = element("option", "", words);
    option.value = value;
    option.selected = value === current;
    select.append(option);
  }
  select.addEventListener("change", () => choose(select.value));
  const bar = element("div", className);
  bar.contentEditable = "false";
  bar.append(select);
  return { bar, select };
}

function chosen(name, className, content, options) {
  return Node.create({
    name,
    group: name === "question" ? "question" : "block",
    content,
    defining: true,
    isolating: name === "question",
    addOptions: () => ({ word: (key) => key }),
    addAttributes: () => ({ kind: attribute(options[0]) }),
    renderHTML: () => ["div", { class: className }, 0],
    addNodeView() {
      const { word } = this.options;
      return ({ node, getPos, editor }) => {
        const dom = element("div", `${className} ${className}--${node.attrs.kind}`);
        const change = (kind) => editor.chain().command(({ tr }) => tr.setNodeAttribute(getPos(), "kind", kind) && true).focus().run();
        const { bar, select } = choice("lessonblock__bar", options.map((each) => [each, word(each)]), node.attrs.kind, word(name), change);
        const contentDOM = element("div", "lessonblock__content");
        dom.append(bar, contentDOM);
        return {
          dom,
          contentDOM,
          stopEvent: (event) => bar.contains(event.target),
          ignoreMutation: (mutation) => !contentDOM.contains(mutation.target),
          update(next) {
            if (next.type.name !== name) return false;
            dom.className = `${className} ${className}--${next.attrs.kind}`;
            select.value = next.attrs.kind;
            return true;
          },
        };
      };
    },
  });
}

export const Callout = chosen("callout", "callout", "block+", ["info", "warning", "success"]);
export const Question = chosen("question", "selfcheck", "questionPrompt questionOption+ questionFeedback?", ["single", "multiple", "truefalse"]);

const line = (name, className) => Node.create({
  name,
  content: "inline*",
  defining: true,
  renderHTML: () => ["p", { class: className }, 0],
});
export const Prompt = line("questionPrompt", "lessonline lessonline--prompt");
export const Feedback = line("questionFeedback", "lessonline lessonline--feedback");
export const Option = Node.create({
  name: "questionOption",
  content: "inline*",
  defining: true,
  addOptions: () => ({ word: (key) => key }),
  addAttributes: () => ({ right: attribute(false) }),
  renderHTML: () => ["p", { class: "lessonline" }, 0],
  addNodeView() {
    const { word } = this.options;
    return ({ node, getPos, editor }) => {
      const dom = element("div", "lessonoption");
      const label = element("label", "lessonoption__right");
      label.contentEditable = "false";
      const tick = element("input", "");
      tick.type = "checkbox";
      tick.checked = node.attrs.right;
      label.append(tick, ` ${word("right")}`);
      const contentDOM = element("p", "lessonline");
      dom.append(label, contentDOM);
      tick.addEventListener("change", () => editor.commands.command(({ tr, state }) => {
        const at = getPos();
        const parent = state.doc.resolve(at).parent;
        const begin = state.doc.resolve(at).start();
        if (tick.checked && parent.attrs.kind !== "multiple") {
          parent.forEach((child, offset) => child.type.name === "questionOption" && tr.setNodeAttribute(begin + offset, "right", false));
        }
        tr.setNodeAttribute(at, "right", tick.checked);
        return true;
      }));
      return {
        dom,
        contentDOM,
        stopEvent: (event) => label.contains(event.target),
        ignoreMutation: (mutation) => !contentDOM.contains(mutation.target),
        update(next) {
          if (next.type.name !== "questionOption") return false;
          tick.checked = next.attrs.right;
          return true;
        },
      };
    };
  },
});

export const Accordion = Node.create({
  name: "accordion",
  group: "block",
  content: "accordionTitle block+",
  defining: true,
  renderHTML: () => ["div", { class: "lessonaccordion" }, 0],
});
export const AccordionTitle = Node.create({
  name: "accordionTitle",
  content: "text*",
  marks: "",
  defining: true,
  renderHTML: () => ["p", { class: "lessonaccordion__title" }, 0],
});

const spans = { addAttributes: () => ({ colspan: { default: 1 }, rowspan: { default: 1 }, colwidth: { default: null, rendered: false } }), content: "(paragraph | image)+" };
export const tables = [
  Table.extend({ addAttributes: () => ({}), renderHTML: () => ["table", ["tbody", 0]] }).configure({ resizable: false }),
  TableRow,
  TableCell.extend({ ...spans, renderHTML: ({ HTMLAttributes }) => ["td", mergeAttributes({ colspan: HTMLAttributes.colspan, rowspan: HTMLAttributes.rowspan }), 0] }),
  TableHeader.extend({ ...spans, renderHTML: ({ HTMLAttributes }) => ["th", mergeAttributes({ colspan: HTMLAttributes.colspan, rowspan: HTMLAttributes.rowspan }), 0] }),
];
