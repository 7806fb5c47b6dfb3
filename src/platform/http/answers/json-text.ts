/** An answer that is already JSON, cached because it is read more often than it changes. */
export class JsonText {
  constructor(readonly text: string) {}
}
