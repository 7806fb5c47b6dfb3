/** An answer that is JSON already, kept because it is asked for more often than it changes. */
export class JsonText {
  constructor(readonly text: string) {}
}
