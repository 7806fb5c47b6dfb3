/** Requests that are repeated, with their key and at random servers, until they are answered. */
import type { Server } from '../server.ts'
import type { Members } from './members.ts'

export const answerMsMax = 25_000
export const tryAgainMs = 100

interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: whoever reads an answer knows its shape
  body: any
}

export class Caller {
  /** Answers that no fault explains. */
  readonly problems: string[] = []
  /** Why requests were repeated, and how often. */
  readonly repeated = new Map<string, number>()

  constructor(private readonly members: Members) {}

  /** A random server. */
  server(random: () => number): Server {
    const { all } = this.members
    return (all[Math.floor(random() * all.length)] as (typeof all)[number]).server
  }

  /** Repeats the request until its answer is not about a fault. */
  async ask(random: () => number, method: string, path: string, body?: object): Promise<Reply> {
    const idempotencyKey = crypto.randomUUID()
    for (;;) {
      const { port, key } = this.server(random)
      try {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${key}`,
            'idempotency-key': idempotencyKey,
            ...(body && { 'content-type': 'application/json' }),
          },
          signal: AbortSignal.timeout(answerMsMax),
          ...(body && { body: JSON.stringify(body) }),
        })
        const found = (await answer.json()) as Reply['body']
        const code: string = found?.error?.code
        const isUnderWay = answer.status === 409 && /in_progress|concurrent_change/.test(code)
        if (answer.status < 500 && answer.status !== 429 && !isUnderWay) return { status: answer.status, body: found }
        if (
          answer.status !== 429 &&
          answer.status !== 409 &&
          !(answer.status === 503 && answer.headers.has('retry-after'))
        )
          this.problems.push(`${method} ${path} answered ${answer.status}: ${JSON.stringify(found)}`)
        this.#again(`${answer.status} ${code}`)
      } catch (error) {
        // the server went in the middle of the request
        this.#again((error as Error).name)
      }
      await Bun.sleep(tryAgainMs)
    }
  }

  #again = (why: string) => void this.repeated.set(why, (this.repeated.get(why) ?? 0) + 1)
}
