/**
 * A random workload over a cluster whose servers, Redis and PostgreSQL fail meanwhile, and its checker. Every request
 * is repeated with its key until it is answered; everything that was acknowledged must hold at the end.
 */
import { expect } from 'bun:test'
import { SQL } from 'bun'
import { eventually } from '../process.ts'
import { transitionsOf } from '../run-records.ts'
import { randomOf } from '../seeded-random.ts'
import type { Cluster } from './cluster.ts'
import type { Served, Shop } from './shop.ts'

const runs = '/api/v1/agent-runs'
const system = 'agt_system_assistant'
const ended = new Set(['completed', 'failed', 'canceled', 'expired'])
const tryAgainMs = 100

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the test checks what is read from the JSON
  body: any
  /** Whether this is the response to a repeated request. */
  isRepeated: boolean
}

/** A stream that is followed while servers stop and start. */
interface Followed {
  id: string
  numbers: number[]
  done: Promise<void>
}

export class Workload {
  /** Acknowledged runs that must end. */
  readonly begun = new Set<string>()
  readonly #doomedProjects: string[] = []
  readonly #sent: string[] = []
  readonly #followed: Followed[] = []
  readonly #random: () => number
  #number = 0
  #stopped = false
  #workers: Promise<void>[] = []
  /** Why requests were repeated, and how often: a status with its code, or the connection error. */
  readonly repeated = new Map<string, number>()

  constructor(
    private readonly cluster: Cluster,
    private readonly shop: Shop,
    private readonly served: Served,
    seed: number,
  ) {
    this.#random = randomOf(seed)
  }

  /** Starts the workload, several operations at once. */
  begin(): void {
    this.#workers = Array.from({ length: 8 }, () => this.#work())
    // the error is reported at the end
    for (const worker of this.#workers) worker.catch(() => {})
  }

  /** Stops the workload; resolves when every request is answered. */
  async end(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#workers)
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      const chance = this.#random()
      if (chance < 0.45) await this.#startOfSystem()
      else if (chance < 0.7) await this.#startWithCall()
      else if (chance < 0.8) await this.#cancel()
      else if (chance < 0.88) await this.#goOn()
      else if (chance < 0.97) this.#follow()
      else await this.#projectThatGoes()
    }
  }

  /** Repeats the request until its response is not about the faults. */
  async ask(method: string, path: string, body?: unknown): Promise<Answer> {
    this.#number += 1
    const headers = {
      authorization: `Bearer ${this.cluster.key}`,
      'content-type': 'application/json',
      ...(method === 'POST' && { 'idempotency-key': `work-${this.#number}` }),
    }
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        const answer = await fetch(this.cluster.proxy.url + path, {
          method,
          headers,
          signal: AbortSignal.timeout(30_000),
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        const isBusy = answer.status >= 500 || answer.status === 429
        const text = await answer.text()
        const found = text === '' ? undefined : JSON.parse(text)
        const isUnderWay = answer.status === 409 && /in_progress|concurrent_change/.test(found?.error?.code)
        if (!isBusy && !isUnderWay) return { status: answer.status, body: found, isRepeated }
        this.#askedAgain(`${answer.status} ${found?.error?.message ?? found?.error}`)
      } catch (error) {
        // the server stopped in the middle of the request
        this.#askedAgain((error as Error).name)
      }
      await Bun.sleep(tryAgainMs)
    }
  }

  #askedAgain(why: string) {
    this.repeated.set(why, (this.repeated.get(why) ?? 0) + 1)
  }

  async #start(body: object): Promise<string | undefined> {
    const { status, body: answer } = await this.ask('POST', runs, body)
    expect([200, 404, 409]).toContain(status)
    return answer?.data?.id
  }

  async #startOfSystem(): Promise<void> {
    const ms = Math.floor(this.#random() * 400)
    const queries = [
      '/say Hi',
      `/sleep ${ms}\n/say Late`,
      `/call calculator {"expression": "6*${ms}"}\n/tokens 20`,
      `/tokens ${50 + ms}`,
    ]
    const query = queries[Math.floor(this.#random() * queries.length)]
    const id = await this.#start({ agentId: system, query })
    if (id) this.begun.add(id)
  }

  async #startWithCall(): Promise<void> {
    const about = `call-${this.#number}-${Math.floor(this.#random() * 1e9)}`
    const { agentId, environmentId } = this.served
    const tool = this.#random() < 0.7 ? 'send' : 'put'
    const query = `/call ${tool} {"about": "${about}"}\n/sleep 50\n/say Done`
    const id = await this.#start({ agentId, environmentId, query })
    if (!id) return
    this.begun.add(id)
    if (tool === 'send') this.#sent.push(about)
  }

  #any(): string | undefined {
    const all = [...this.begun]
    return all[Math.floor(this.#random() * all.length)]
  }

  async #cancel(): Promise<void> {
    const id = this.#any()
    if (id) expect([200, 409]).toContain((await this.ask('POST', `${runs}/${id}/cancel`)).status)
  }

  async #goOn(): Promise<void> {
    const id = this.#any()
    if (id)
      expect([200, 400, 409]).toContain(
        (await this.ask('POST', `${runs}/${id}/continue`, { query: '/say More' })).status,
      )
  }

  /** A run in a Project that is deleted at the same time. */
  async #projectThatGoes(): Promise<void> {
    this.#number += 1
    const slug = `goes-${this.#number}-${Math.floor(this.#random() * 1e9)}`
    const made = await this.ask('POST', '/api/v1/projects', { slug, name: 'Goes' })
    const wasMade = made.isRepeated && made.body?.error?.code === 'slug_taken'
    if (!wasMade)
      expect({ status: made.status, ...(made.status !== 201 && { body: made.body }) }).toEqual({ status: 201 })
    const id = wasMade ? await this.#projectWith(slug) : made.body.data.id
    this.#doomedProjects.push(id)
    const removed = this.ask('DELETE', `/api/v1/projects/${id}`)
    expect([200, 202, 204, 404, 409]).toContain((await removed).status)
  }

  /** It was created by a request whose response was lost. */
  async #projectWith(slug: string): Promise<string> {
    for (let query = '?limit=100'; ; ) {
      const { body } = await this.ask('GET', `/api/v1/projects${query}`)
      const found = body.data.items.find((project: { slug: string }) => project.slug === slug)
      if (found) return found.id
      expect(body.pagination.hasMore).toBe(true)
      query = `?limit=100&cursor=${body.pagination.nextCursor}`
    }
  }

  /** Follows a run from its first frame on, from any server, and keeps the frames. */
  #follow(): void {
    const id = this.#any()
    if (!id || this.#followed.length >= 40) return
    const followed: Followed = { id, numbers: [], done: Promise.resolve() }
    followed.done = this.#read(followed)
    this.#followed.push(followed)
  }

  async #read({ id, numbers }: Followed): Promise<void> {
    let after = 0
    for (;;) {
      try {
        const answer = await fetch(`${this.cluster.proxy.url}${runs}/${id}/stream?after=${after}`, {
          headers: { authorization: `Bearer ${this.cluster.key}` },
          signal: AbortSignal.timeout(60_000),
        })
        if (answer.status === 204) return
        if (answer.status === 200) {
          const decoder = new TextDecoder()
          let text = ''
          for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
            text += decoder.decode(chunk, { stream: true })
            const blocks = text.split('\n\n')
            text = blocks.pop() as string
            for (const block of blocks) {
              const number = /^id: (\d+)$/m.exec(block)?.[1]
              if (number === undefined) continue
              after = Number(number)
              numbers.push(after)
              if (/^event: end$/m.test(block)) return
            }
          }
        }
      } catch {
        // its server has gone: the next one goes on where it was
      }
      await Bun.sleep(tryAgainMs)
    }
  }

  /** Waits until everything has settled, and checks it. */
  async check(): Promise<void> {
    const { client } = this.cluster
    for (const id of this.begun) {
      await eventually(`the end of ${id}`, async () => {
        const { status, body } = await this.ask('GET', `${runs}/${id}`)
        return status === 200 && ended.has(body.data.state)
      }).catch(async (error: Error) => {
        const moves = await transitionsOf(client, id)
        throw new Error(`${error.message} ${JSON.stringify(moves)}`)
      })
    }
    for (const id of this.begun) await this.#checkRun(id)
    for (const about of this.#sent)
      expect({ about, made: this.shop.queries.get(about) ?? 0 }).not.toEqual({ about, made: 2 })
    for (const about of this.#sent) expect(this.shop.queries.get(about) ?? 0).toBeLessThanOrEqual(1)
    for (const followed of this.#followed) {
      await followed.done
      // from the first frame on, each once: a merged delta has the number of the last one that it covers
      const { numbers } = followed
      expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other))
      expect(numbers[0]).toBe(1)
    }
    await this.#checkStore()
    expect((await client.get('/readyz')).status).toBe(200)
  }

  async #checkRun(id: string): Promise<void> {
    const { client } = this.cluster
    const transitions = await transitionsOf(client, id)
    expect(transitions.map(({ sequence }) => sequence)).toEqual(transitions.map((_, index) => index + 1))
    expect(transitions.map(({ from }) => from)).toEqual([null, ...transitions.slice(0, -1).map(({ to }) => to)])
    const attempts = transitions.filter(({ to }) => to === 'starting').map(({ attempt }) => attempt)
    expect(new Set(attempts).size).toBe(attempts.length)
    const { body } = await client.get(`/api/v1/actors/run/${id}/verify`)
    expect({ id, ...body.data }).toMatchObject({ valid: true })
    const answer = await client.raw('GET', `${runs}/${id}/stream`, undefined, { query: { after: 0 } })
    const numbers = [...(await answer.text()).matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number))
    expect({ id, numbers }).toEqual({ id, numbers: numbers.map((_, index) => index + 1) })
  }

  /** Checks what clients do not see. */
  async #checkStore(): Promise<void> {
    const sql = new SQL({ url: this.cluster.storeAddress, max: 1 })
    const count = async (query: string) => Number((await sql.unsafe(query))[0].count)
    await eventually('Projects that are gone', async () => {
      const [left] =
        await sql`select count(*) as count from projects where id in ${sql(this.#doomedProjects.length > 0 ? this.#doomedProjects : [''])}`
      return Number(left.count) === 0
    })
    expect(
      await count(
        `select count(*) from runs where project_id is not null and project_id not in (select id from projects)`,
      ),
    ).toBe(0)
    // each frame has its own number
    expect(
      await count(`select count(*) from (select run_id, first_sequence, last_sequence, lag(last_sequence)
        over (partition by run_id order by last_sequence) as before from run_events) as groups where before >= first_sequence`),
    ).toBe(0)
    await sql.close()
  }
}
