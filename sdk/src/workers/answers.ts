/** Sends answers of calls: answers that arrive during a request are sent together in the next one. */
import { ApiError } from '../client/errors.ts'
import type { WorkerAnswers, WorkerAnswersTaken } from '../generated/schemas.ts'

export type WorkerAnswer = WorkerAnswers['answers'][number]

interface Waiting {
  answer: WorkerAnswer
  characters: number
  resolve(): void
  reject(error: unknown): void
}

const togetherMax = 100
/** The server accepts a megabyte in one request. */
const charactersMax = 256 * 1024

const refused = ({ code, message }: { code: string; message: string }) =>
  new ApiError({
    status: code === 'not_found' ? 404 : 409,
    code,
    message,
    requestId: undefined,
    details: {},
    retryAfterMs: undefined,
  })

export class Answers {
  #waiting: Waiting[] = []
  #isSending = false

  constructor(private readonly post: (answers: WorkerAnswer[]) => Promise<WorkerAnswersTaken['items']>) {}

  /**
   * Rejects with `ApiError` (409, 404) for an answer that the server refused, with the errors of the request, and with
   * `TypeError` for an answer that JSON cannot represent.
   */
  send(answer: WorkerAnswer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ answer, characters: JSON.stringify(answer).length, resolve, reject })
      if (!this.#isSending) void this.#sendAll()
    })
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true
    // answers of the same instant are sent together
    await Promise.resolve()
    while (this.#waiting.length > 0) await this.#sendTogether(this.#next())
    this.#isSending = false
  }

  async #sendTogether(some: readonly Waiting[]): Promise<void> {
    try {
      const items = await this.post(some.map(({ answer }) => answer))
      some.forEach(({ resolve, reject }, index) => {
        const error = items[index]?.error
        if (error) reject(refused(error))
        else resolve()
      })
    } catch (error) {
      // a malformed answer does not block the others
      const isOfOne = error instanceof ApiError && error.status < 500 && error.status !== 429
      if (isOfOne && some.length > 1) for (const one of some) await this.#sendTogether([one])
      else for (const { reject } of some) reject(error)
    }
  }

  #next(): Waiting[] {
    let together = 0
    const fits = ({ characters }: Waiting, index: number) => {
      together += characters
      return index === 0 || (index < togetherMax && together <= charactersMax)
    }
    const end = this.#waiting.findIndex((waiting, index) => !fits(waiting, index))
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end)
  }
}
