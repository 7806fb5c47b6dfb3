/**
 * Clients of several servers that fail meanwhile. Each request goes to a random server, and is repeated with its key,
 * at random servers, until it is answered.
 */
import { randomOf } from '../../test/support/seeded-random.ts'
import { assistant, runsPath } from '../troupe.ts'
import { answerMsMax, type Caller, tryAgainMs } from './caller.ts'
import type { Place } from './place.ts'
import { type Frames, readStream } from './requests.ts'

/** Streams that are followed at once. */
const followersMax = 6

/** A run that is acknowledged. */
export interface Acknowledged {
  id: string
  number: number
  /** Whether it calls an operation that must not be repeated, with its number. */
  charges: boolean
  /** Cancels and continues that were accepted; a repeated cancel has no effect. */
  cancels: number
  continues: number
  /** The frames that a follower got, which changed the server whenever one went. */
  seen?: Frames
}

export class Work {
  readonly runs: Acknowledged[] = []
  readonly workflows = new Map<string, { number: number }>()
  /** Runs of the job that were started by a request. */
  readonly runNow: string[] = []
  /** The accepted messages of each conversation, by its run. */
  readonly turns = new Map<string, number>()
  /** Numbers of workflow runs whose event has not been sent. */
  readonly #unpaid: number[] = []
  #number = 0
  #isOver = false
  #followers = new Set<Promise<void>>()
  #clients: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly caller: Caller,
    private readonly place: Place,
    private readonly seed: number,
  ) {}

  begin(clients: number) {
    const client = async (number: number) => {
      const random = randomOf(this.seed + 1 + number)
      while (!this.#isOver) {
        await this.#oneOf(random)
        // so that runs end before the next ones start
        await Bun.sleep(random() * 300)
      }
    }
    this.#clients = Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  }

  /** Resolves when every request is answered. */
  async end() {
    this.#isOver = true
    await this.#clients
  }

  /** Resolves when every followed stream has ended. */
  untilFollowed = () => Promise.all(this.#followers)

  /** Once more for everything that waits for somebody: approvals are decided, and events sent. */
  async settle() {
    const random = randomOf(this.seed)
    await Promise.all([this.#decide(random), this.#sendEvents(random)])
  }

  async #oneOf(random: () => number): Promise<unknown> {
    const chance = random()
    if (chance < 0.22) return this.#start(random, { query: this.#simpleQuery(random) })
    if (chance < 0.4) return this.#startThatCharges(random)
    if (chance < 0.46) return this.#startLater(random)
    if (chance < 0.54) return this.#startWorkflow(random)
    if (chance < 0.62) return this.#talk(random)
    if (chance < 0.72) return this.#cancel(random)
    if (chance < 0.8) return this.#continue(random)
    if (chance < 0.86) return this.#decide(random)
    if (chance < 0.92) return this.#sendEvents(random)
    if (chance < 0.97) return this.#follow(random)
    return this.#runJob(random)
  }

  async #start(random: () => number, body: object, charges = false): Promise<void> {
    this.#number += 1
    const number = this.#number
    const { environmentId, agentId } = this.place
    const given = {
      ...(random() < 0.7 ? { environmentId, agentId } : { agentId: assistant }),
      maxRetries: 10,
      ...body,
    }
    const { status, body: answer } = await this.caller.ask(random, 'POST', runsPath, given)
    if (status !== 200) return void this.caller.problems.push(`A start answered ${status}: ${JSON.stringify(answer)}`)
    this.runs.push({ id: answer.data.id, number, charges, cancels: 0, continues: 0 })
  }

  #simpleQuery(random: () => number): string {
    const ms = Math.floor(random() * 3_000)
    const queries = [
      '/say Hello',
      `/sleep ${ms}\n/say Late`,
      `/tokens ${20 + Math.floor(ms / 10)}`,
      `/sleep ${ms}\n/tokens 30`,
    ]
    return queries[Math.floor(random() * queries.length)] as string
  }

  #startThatCharges(random: () => number) {
    const { environmentId, agentId } = this.place
    const number = this.#number + 1
    const charge = random() < 0.7 ? 'charge' : 'guarded'
    const query = `/call ${charge} {"number":${number}}\n/call put {"number":${number}}\n/say Done`
    return this.#start(random, { environmentId, agentId, query }, true)
  }

  #startLater = (random: () => number) =>
    this.#start(random, { query: '/say Later', startAt: new Date(Date.now() + random() * 5_000).toISOString() })

  async #startWorkflow(random: () => number): Promise<void> {
    this.#number += 1
    const number = this.#number
    const { agentId, path } = this.place
    const body = { agentId, definitionIdOrName: 'pay', params: { number }, requestKey: `pay-${number}` }
    const { status, body: answer } = await this.caller.ask(random, 'POST', `${path}/workflows`, body)
    if (status !== 202 && status !== 200)
      return void this.caller.problems.push(`A workflow's start answered ${status}: ${JSON.stringify(answer)}`)
    this.workflows.set(answer.data.workflowRunId, { number })
    this.#unpaid.push(number)
  }

  /** The events that workflows wait for. */
  async #sendEvents(random: () => number): Promise<void> {
    for (const correlation of this.#unpaid.splice(0, this.#isOver ? this.#unpaid.length : 1)) {
      const event = { event: 'paid', correlation: `${correlation}`, data: {} }
      const { status, body } = await this.caller.ask(random, 'POST', `${this.place.path}/workflow-events`, event)
      if (status !== 202) this.caller.problems.push(`An event answered ${status}: ${JSON.stringify(body)}`)
    }
  }

  /** Approves or rejects a pending call; when the work is over, all of them. */
  async #decide(random: () => number): Promise<void> {
    const path = `${this.place.path}/operation-approvals`
    const { body } = await this.caller.ask(random, 'GET', `${path}?status=pending&limit=100`)
    const pending: { id: string }[] = body.data.items
    for (const { id } of this.#isOver ? pending : pending.slice(0, 1)) {
      const verdict = random() < 0.7 ? 'approve' : 'reject'
      const { status, body: answer } = await this.caller.ask(random, 'POST', `${path}/${id}/${verdict}`, {})
      // it was decided by a request whose answer was lost, or its run was canceled
      if (status !== 200 && status !== 409)
        this.caller.problems.push(`A decision answered ${status}: ${JSON.stringify(answer)}`)
    }
  }

  /** A message of a conversation, which gets a turn of its own. */
  async #talk(random: () => number): Promise<void> {
    const threadKey = `talk-${Math.floor(random() * 5)}`
    const query = `/sleep ${Math.floor(random() * 1_000)}\n/say Hello`
    const body = { agentId: assistant, threadKey, query, ifBusy: 'enqueue', maxRetries: 10 }
    const { status, body: answer } = await this.caller.ask(random, 'POST', runsPath, body)
    if (status === 200) this.turns.set(answer.data.id, (this.turns.get(answer.data.id) ?? 0) + 1)
    else if (answer.error?.code !== 'limit_exceeded')
      this.caller.problems.push(`A message answered ${status}: ${JSON.stringify(answer)}`)
  }

  async #runJob(random: () => number): Promise<void> {
    // without a key: a repeated request may start another run
    const { status, body } = await this.caller.ask(
      random,
      'POST',
      `${this.place.path}/agent-jobs/${this.place.jobId}/run-now`,
      {},
    )
    if (status !== 202) return void this.caller.problems.push(`A job answered ${status}: ${JSON.stringify(body)}`)
    this.runNow.push(body.data.id)
  }

  /** Mostly one of the latest. */
  #any = (random: () => number) => this.runs[this.runs.length - 1 - Math.floor(random() ** 3 * this.runs.length)]

  async #cancel(random: () => number): Promise<void> {
    const run = this.#any(random)
    if (!run) return
    const { status, body } = await this.caller.ask(random, 'POST', `${runsPath}/${run.id}/cancel`)
    if (status === 200) run.cancels += 1
    else if (status !== 409)
      this.caller.problems.push(`A cancel of ${run.id} answered ${status}: ${JSON.stringify(body)}`)
  }

  async #continue(random: () => number): Promise<void> {
    const run = this.#any(random)
    if (!run) return
    const { status, body } = await this.caller.ask(random, 'POST', `${runsPath}/${run.id}/continue`, {
      query: '/say More',
    })
    if (status === 200) run.continues += 1
    else if (status !== 409)
      this.caller.problems.push(`A continue of ${run.id} answered ${status}: ${JSON.stringify(body)}`)
  }

  async #follow(random: () => number): Promise<void> {
    const run = this.#any(random)
    if (!run || run.seen || this.#followers.size >= followersMax) return
    const seen: Frames = new Map()
    run.seen = seen
    const follower = this.#read(random, run.id, seen).finally(() => this.#followers.delete(follower))
    this.#followers.add(follower)
  }

  async #read(random: () => number, id: string, seen: Frames): Promise<void> {
    let last = 0
    const take = (number: number, frame: string) => {
      if (number <= last) this.caller.problems.push(`${id}: frame ${number} came after ${last}`)
      last = Math.max(last, number)
      seen.set(number, frame)
    }
    for (;;) {
      const signal = AbortSignal.timeout(answerMsMax)
      if (await readStream(this.caller.server(random), id, last, take, signal)) return
      await Bun.sleep(tryAgainMs)
    }
  }
}
