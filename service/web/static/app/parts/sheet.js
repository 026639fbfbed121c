// A panel over the page, closed by its button, by Escape, by going back, or by what is done in it.
import { html, Component } from "../html.js";
import { t } from "../words.js";
import { closed, opened } from "./back.js";
import { Press } from "./press.js";

export class Sheet extends Component {
  componentDidMount() {
    this.before = document.activeElement;
    this.box.showModal();
    opened(this);
  }

  componentWillUnmount() {
    closed(this);
    this.box.close();
    if (this.before?.isConnected) this.before.focus();
  }

  render({ title, onClose, children }) {
    return html`<dialog
      class="sheet"
      aria-labelledby="sheet-title"
      ref=${(box) => (this.box = box)}
      onCancel=${(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class="sheet-head">
        <h2 id="sheet-title">${title}</h2>
        <${Press} meaning="close" kind="plain" onPress=${onClose}>${t("sheet.close")}<//>
      </div>
      <div class="sheet-body">${children}</div>
    </dialog>`;
  }
}
