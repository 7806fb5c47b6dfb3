/**
 * The console's browser bundle, built from `index.html` and `embed/embed.html` by Bun once per process and kept in memory. File
 * names carry a content hash; pages and charts are separate chunks.
 */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

export interface ConsoleFile {
  contentType: string
  plain: Uint8Array<ArrayBuffer>
  gzipped: Uint8Array<ArrayBuffer>
}

interface ConsoleBundle {
  page: ConsoleFile
  /** The page of an embedded chart. */
  embedPage: ConsoleFile
  /** Keyed by path: `/assets/main-….js`. */
  assets: ReadonlyMap<string, ConsoleFile>
}

const compress = promisify(gzip)
const entry = new URL('./index.html', import.meta.url).pathname
const embedEntry = new URL('./embed/embed.html', import.meta.url).pathname

/** Bundles the console, in about half a second. Throws if the build fails. */
async function buildConsole(): Promise<ConsoleBundle> {
  const { outputs } = await Bun.build({
    entrypoints: [entry, embedEntry],
    target: 'browser',
    splitting: true,
    minify: true,
    publicPath: '/',
    naming: {
      entry: 'assets/[name]-[hash].[ext]',
      chunk: 'assets/[name]-[hash].[ext]',
      asset: 'assets/[name]-[hash].[ext]',
    },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const files = await Promise.all(
    outputs.map(async (output): Promise<[string, ConsoleFile]> => {
      const plain = new Uint8Array(await output.arrayBuffer())
      const gzipped = new Uint8Array(await compress(plain, { level: 9 }))
      return [output.path.replace(/^\.?\/?/, '/'), { contentType: output.type, plain, gzipped }]
    }),
  )
  const pageOf = (name: string): ConsoleFile => {
    const page = files.find(([path]) => path.startsWith(`/assets/${name}-`) && path.endsWith('.html'))
    if (!page) throw new Error(`the bundle of the console has no page ${name}`)
    return page[1]
  }
  return {
    page: pageOf('index'),
    embedPage: pageOf('embed'),
    assets: new Map(files.filter(([path]) => !path.endsWith('.html'))),
  }
}

let building: Promise<ConsoleBundle> | undefined

/** The bundle of this process, built on first use. */
export function consoleBundle(): Promise<ConsoleBundle> {
  building ??= buildConsole().catch((error: unknown) => {
    building = undefined
    throw error
  })
  return building
}
