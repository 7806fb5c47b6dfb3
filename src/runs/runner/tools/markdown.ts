/**
 * Converts an HTML page to Markdown: headings, lists, links, emphasis, code and table rows. Everything that is not text
 * is omitted.
 */

import { nextTurn } from '../../../platform/time/next-turn.ts'

const skipped = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'iframe',
  'object',
  'select',
  'textarea',
  'title',
])
const blocks = new Set(
  (
    'address article aside blockquote body details dd div dl dt fieldset figcaption figure footer form header main nav ol p ' +
    'section summary table tbody thead tr ul'
  ).split(' '),
)
const voids = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))
const around: Record<string, string> = { strong: '**', b: '**', em: '_', i: '_', code: '`' }
const named: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  copy: '©',
  laquo: '«',
  raquo: '»',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  szlig: 'ß',
  eacute: 'é',
  euro: '€',
}

/** The bytes that are parsed before yielding to other work. */
const stretch = 4 * 1024
/** The longest text without a tag that is read at once; longer ones are read in parts. */
const textCharactersMax = 8 * 1024
/** The longest character reference. */
const referenceCharacters = 12
/** Further tags are not read: each costs as much as a hundred characters. */
const tagsMax = 20_000

/** `base` is the address of the page, to which its links are relative. */
export async function markdownOf(html: string, base: string): Promise<{ title: string | null; text: string }> {
  const page = new Page(base)
  const parsed = new HTMLRewriter()
    .on('title', { text: ({ text }) => page.addToTitle(text) })
    .on('*', { element: (element) => page.begin(element) })
    .onDocument({ text: ({ text, lastInTextNode }) => page.say(text, lastInTextNode) })
    .transform(new Response(slowly(new TextEncoder().encode(withoutTagsBeyond(html)))))
  await parsed.arrayBuffer()
  return page.result()
}

function withoutTagsBeyond(html: string): string {
  let at = -1
  for (let tags = 0; tags <= tagsMax; tags += 1) {
    at = html.indexOf('<', at + 1)
    if (at === -1) return html
  }
  return html.slice(0, at)
}

/** In pieces, yielding to other work between them. */
const slowly = (bytes: Uint8Array): ReadableStream<Uint8Array> => {
  let at = 0
  return new ReadableStream({
    async pull(controller) {
      await nextTurn()
      if (at < bytes.length) controller.enqueue(bytes.subarray(at, at + stretch))
      else controller.close()
      at += stretch
    },
  })
}

class Page {
  readonly #pieces: string[] = []
  #title = ''
  #text = ''
  #skipping = 0
  #verbatim = 0

  constructor(private readonly base: string) {}

  addToTitle(text: string): void {
    this.#title += text
  }

  /** A part of a text, which may end within a character reference. */
  say(text: string, isLast: boolean): void {
    if (this.#skipping > 0) return
    this.#text += text
    if (!isLast && this.#text.length < textCharactersMax) return
    const open = isLast ? -1 : this.#text.lastIndexOf('&')
    const end = open === -1 || open < this.#text.length - referenceCharacters ? this.#text.length : open
    const plain = decoded(this.#text.slice(0, end))
    this.#text = this.#text.slice(end)
    this.#pieces.push(this.#verbatim > 0 ? plain : plain.replace(/\s+/g, ' '))
  }

  begin(element: HTMLRewriterTypes.Element): void {
    const name = element.tagName.toLowerCase()
    if (voids.has(name)) {
      this.#single(name, element)
      return
    }
    const after = this.#opened(name, element)
    if (after) element.onEndTag(after)
  }

  result(): { title: string | null; text: string } {
    const title = decoded(this.#title).replace(/\s+/g, ' ').trim()
    const lines = this.#pieces.join('').split('\n')
    const text = lines
      .map((line) => line.trimEnd())
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim()
    return { title: title || null, text }
  }

  #single(name: string, element: HTMLRewriterTypes.Element): void {
    if (name === 'br') this.#put('\n')
    else if (name === 'hr') this.#put('\n\n---\n\n')
    else if (name === 'img') {
      const alt = element.getAttribute('alt')?.trim()
      if (alt) this.#put(`![${decoded(alt)}]`)
    }
  }

  /** The action at the element's end; undefined for none. */
  #opened(name: string, element: HTMLRewriterTypes.Element): (() => void) | undefined {
    if (skipped.has(name)) return this.#skip()
    if (name === 'pre') return this.#quote()
    if (name === 'li') return this.#framed('\n- ', '')
    if (name === 'td' || name === 'th') return this.#framed(' | ', '')
    if (name === 'a') return this.#link(element.getAttribute('href'))
    if (/^h[1-6]$/.test(name)) return this.#framed(`\n\n${'#'.repeat(Number(name[1]))} `, '\n\n')
    const mark = around[name]
    if (mark !== undefined && this.#verbatim === 0) return this.#framed(mark, mark)
    return blocks.has(name) ? this.#framed('\n', '\n') : undefined
  }

  #skip(): () => void {
    this.#skipping += 1
    return () => {
      this.#skipping -= 1
    }
  }

  #quote(): () => void {
    this.#verbatim += 1
    this.#put('\n\n```\n')
    return () => {
      this.#verbatim -= 1
      this.#put('\n```\n\n')
    }
  }

  #link(href: string | null): (() => void) | undefined {
    const target = href === null ? null : URL.parse(decoded(href), this.base)
    if (!target || !/^https?:$/.test(target.protocol)) return undefined
    return this.#framed('[', `](${target.href})`)
  }

  #framed(before: string, after: string): () => void {
    this.#put(before)
    return () => this.#put(after)
  }

  #put(text: string): void {
    if (this.#skipping === 0) this.#pieces.push(text)
  }
}

/** The text with its character references replaced; uncommon names stay unchanged. */
const decoded = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return named[name as string] ?? whole
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : whole
  })
