// Preact with htm: markup in plain JavaScript, nothing built.
import { h, render, Component, Fragment } from "../vendor/preact.mjs";
import htm from "../vendor/htm.mjs";

export const html = htm.bind(h);
export { render, Component, Fragment };
