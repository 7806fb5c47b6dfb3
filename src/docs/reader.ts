/** The reader of the API document: Scalar, served by us alone, so that it works in a closed network. Source: design 1. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const script = new URL('../../node_modules/@scalar/api-reference/dist/browser/standalone.js', import.meta.url)

/** Nothing comes from elsewhere, and nothing goes there. The reader brings its own styles, inline. */
export const readerPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** No fonts, no telemetry, no proxy, no assistant and no tools from the makers of the reader. */
const settings = {
  url: '/docs/json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  authentication: { preferredSecurityScheme: 'apiKey' },
  showDeveloperTools: 'never',
  agent: { disabled: true },
}

export interface ReaderScript {
  /** Of the content: the address changes when the script does. */
  version: string
  plain: Uint8Array<ArrayBuffer>
  gzipped: Uint8Array<ArrayBuffer>
}

let loaded: Promise<ReaderScript> | undefined

/** The reader's script, read and compressed once. */
export function readerScript(): Promise<ReaderScript> {
  loaded ??= (async () => {
    const plain = await Bun.file(script).bytes()
    const gzipped = new Uint8Array(await promisify(gzip)(plain))
    return { version: Bun.hash(plain).toString(36), plain, gzipped }
  })()
  return loaded
}

/** The page that runs the reader. */
export const readerPage = (version: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Troupe API</title>
  </head>
  <body>
    <script id="api-reference" type="application/json" data-url="${settings.url}" data-configuration='${JSON.stringify(settings)}'></script>
    <script src="/docs/reader.js?v=${version}"></script>
  </body>
</html>
`
