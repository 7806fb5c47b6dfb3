/** Removes sent secrets from answers. Source: requirement 5.9; contract 4. */

const replacement = '[hidden]'

export class Redaction {
  readonly #spellings = new Set<string>()

  /** Secrets shorter than `charactersMin` are left: they occur in any text. */
  constructor(secrets: Iterable<string>, charactersMin: number) {
    for (const secret of secrets) if (secret.length >= charactersMin) this.#add(secret)
  }

  /** Adds the secret in all encodings that it may have on the wire. */
  #add(secret: string) {
    const wellFormed = secret.toWellFormed()
    const inForm = new URLSearchParams({ '': wellFormed }).toString().slice(1)
    const base64 = Buffer.from(secret).toString('base64')
    const spellings = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(wellFormed),
      inForm,
      inForm.replaceAll('+', '%20'),
      base64,
      base64.replace(/=+$/, ''),
    ]
    for (const spelling of spellings) this.#spellings.add(spelling)
  }

  /** The text without the secrets. */
  hide(text: string): string {
    return this.#longestFirst().reduce((shown, spelling) => shown.replaceAll(spelling, replacement), text)
  }

  /** The bytes without the secrets in UTF-8. */
  hideIn(bytes: Uint8Array): Buffer {
    const asRead = (text: string) => Buffer.from(text).toString('latin1')
    const shown = this.#longestFirst().reduce(
      (text, spelling) => text.replaceAll(asRead(spelling), replacement),
      Buffer.from(bytes).toString('latin1'),
    )
    return Buffer.from(shown, 'latin1')
  }

  #longestFirst = () => [...this.#spellings].sort((one, other) => other.length - one.length)
}
