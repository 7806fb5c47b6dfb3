/**
 * The tasks of `troupe dev` besides its server: applies the folder's manifest after each save, and keeps its worker
 * running.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Subprocess } from 'bun'
import type { FSWatcher } from 'chokidar'
import { Troupe } from '../../sdk/src/index.ts'
import type { Context } from '../context.ts'
import { describe } from '../terminal/failure.ts'
import { oneLine, plain, styled } from '../terminal/text.ts'
import { manifestApart } from './apart.ts'
import { assertSound, carriedOut, planOf } from './carrying-out.ts'
import { isModule, loadManifest, slugIn, usualFile } from './file.ts'
import { changedIn, countsIn } from './plan-view.ts'

const main = join(import.meta.dir, '../main.ts')
const workerFile = 'worker.ts'
/** Editors write a file in several steps. */
const settleMs = 80
const workerGraceMs = 3_000
const environment = 'development'
/** Packages, and hidden folders such as the server's own. */
const ignored = /(?:^|[/\\])(?:node_modules|\.[^./\\])/
/** How deep in folders of the folder saves are noticed: the command may be given in a folder of many others. */
const depthMax = 4
/** Saved files that may change the manifest or the worker; other data in folders may be what the worker writes. */
const isOfFolder = (path: string) => /\.[cm]?[jt]s$|^[^/\\]+\.(?:ya?ml|json)$/.test(path)
/** Saved files that the worker may import. */
const mayBeOfWorker = (name: string) => /\.([cm]?[jt]s|json)$/.test(name) && name !== usualFile()

export class FolderWork {
  readonly #troupe: Troupe
  #watcher: FSWatcher | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The paths of the files that were saved since the last look. */
  readonly #saved = new Set<string>()
  /** The paths of those that are to be worked off: saves during an Apply share the next one. */
  readonly #due = new Set<string>()
  #work: Promise<void> = Promise.resolve()
  #worker: Subprocess | undefined
  /** The Environment that the worker serves; undefined before the first manifest is applied. */
  #slug: string | undefined

  constructor(
    private readonly context: Context,
    private readonly access: { url: string; key: string },
  ) {
    this.#troupe = new Troupe({ baseUrl: access.url, apiKey: access.key })
  }

  start(): void {
    this.#then(() => this.#watch())
    this.#then(() => this.#apply())
  }

  async stop(): Promise<void> {
    await this.#work.catch(() => {})
    await this.#watcher?.close()
    clearTimeout(this.#timer)
    await this.#endWorker()
  }

  /** Resolves once all files are watched. */
  async #watch(): Promise<void> {
    const { watch } = await import('chokidar')
    const { promise, resolve } = Promise.withResolvers<void>()
    let isFollowed = true
    this.#watcher = watch('.', { ignored, ignoreInitial: true, depth: depthMax })
      .on('ready', resolve)
      .on('error', (error) => {
        if (isFollowed) this.context.output.warn(`Some saves go unnoticed: ${describe(error).message}`)
        isFollowed = false
      })
      .on('all', (_, path) => {
        if (!isOfFolder(path)) return
        this.#saved.add(path)
        clearTimeout(this.#timer)
        this.#timer = setTimeout(() => this.#look(), settleMs)
      })
    await this.context.interruption.race(promise)
  }

  /** One at a time. */
  #then(work: () => Promise<void>): void {
    this.#work = this.#work.then(work)
  }

  #look(): void {
    for (const name of this.#saved) this.#due.add(name)
    this.#saved.clear()
    this.#then(() => this.#workOff())
  }

  async #workOff(): Promise<void> {
    const saved = [...this.#due]
    this.#due.clear()
    if (saved.some((name) => name !== workerFile)) await this.#apply()
    if (saved.some(mayBeOfWorker)) await this.#restartWorker()
  }

  async #apply(): Promise<void> {
    const file = usualFile()
    if (file === undefined || this.context.signal.aborted) return
    const { output } = this.context
    const began = performance.now()
    try {
      const manifest = isModule(file)
        ? await manifestApart(file, this.context.interruption)
        : (await loadManifest(file)).manifest
      const planned = await planOf(this.context, this.#troupe, { manifest, environment })
      assertSound(planned, file)
      const name = `${slugIn(manifest)}/${environment}`
      const body = { manifest, environment } as unknown as Parameters<Troupe['applies']['create']>[0]
      const begun = await this.#troupe.applies.create(body)
      const ended = await carriedOut(this.context, this.#troupe, begun)
      const took = `${((performance.now() - began) / 1000).toFixed(1)} s`
      const what = countsIn(planned)
      const value = { applied: file, to: name, changes: changedIn(planned), applyId: ended.id }
      output.item(value, () =>
        what ? `${styled('green', '✓')} ${file} → ${name}: ${what} (${took})` : `${file} → ${name}: nothing to change`,
      )
      const before = this.#slug
      this.#slug = slugIn(manifest)
      if (!this.#worker || this.#slug !== before) await this.#restartWorker()
    } catch (error) {
      if (this.context.signal.aborted) return
      // an error is reported, and the next save tries again
      const { message, hints, code } = describe(error, this.access.url)
      output.item({ error: { code, message, hints } }, () =>
        [`${styled('red', '✗')} ${plain(message)}`, ...hints.map((hint) => `    ${oneLine(hint)}`)].join('\n'),
      )
    }
  }

  async #restartWorker(): Promise<void> {
    await this.#endWorker()
    if (this.#slug === undefined || !existsSync(workerFile) || this.context.signal.aborted) return
    const words = ['worker', resolve(workerFile), '--on', `${this.#slug}/${environment}`]
    if (this.context.output.json) words.push('--json')
    const worker = Bun.spawn(
      // if this process is killed, the worker ends with it
      [process.execPath, '--no-orphans', '--no-install', main, ...words],
      {
        env: {
          ...process.env,
          TROUPE_URL: this.access.url,
          TROUPE_API_KEY: this.access.key,
          TROUPE_KEY: this.access.key,
        },
        stdin: 'ignore',
        stdout: 'inherit',
        stderr: 'inherit',
      },
    )
    this.#worker = worker
    void worker.exited.then((code) => {
      // this command has ended it
      if (this.#worker !== worker) return
      this.#worker = undefined
      this.context.output.warn(`The worker has ended with code ${code}. It starts again at the next save.`)
    })
  }

  async #endWorker(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    if (!worker) return
    worker.kill('SIGTERM')
    // calls in progress may finish within a grace period
    await Promise.race([worker.exited, Bun.sleep(workerGraceMs)])
    worker.kill('SIGKILL')
    await worker.exited
  }
}
