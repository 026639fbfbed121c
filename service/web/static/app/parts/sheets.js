// Every panel of the recorder, by name.
import { DealSheet, IrregularSheet, PadSheet, RefusedSheet, WhySheet } from "./play-sheets.js";
import { AsideSheet, BuySheet, CloseSheet, JoinSheet, LeaveSheet, MenuSheet, MisdealSheet, NoteSheet, ShareSheet } from "./night-sheets.js";
import { CountSheet, SettleSheet } from "./table-sheets.js";
import { CorrectSheet, TimelineSheet } from "./timeline.js";

export const SHEETS = {
  aside: AsideSheet,
  buy: BuySheet,
  close: CloseSheet,
  correct: CorrectSheet,
  count: CountSheet,
  deal: DealSheet,
  irregular: IrregularSheet,
  join: JoinSheet,
  leave: LeaveSheet,
  menu: MenuSheet,
  misdeal: MisdealSheet,
  note: NoteSheet,
  pad: PadSheet,
  refused: RefusedSheet,
  settle: SettleSheet,
  share: ShareSheet,
  timeline: TimelineSheet,
  why: WhySheet,
};
