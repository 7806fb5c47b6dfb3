/**
 * The pool of schema workers: started on demand, stopped when idle, replaced after a kill. The queue is served by
 * organization: the one that used the least time recently goes first, and each has at most one worker. So costly checks
 * delay only the organization that sends them.
 */
import { SchemaFailure } from './check-result.ts'
import { SchemaWorker, WorkerEnded } from './worker.ts'

const workersMax = 2
/** Waiting checks of one organization. */
const waitingMax = 200
const waitingOfAllMax = 2_000
const idleMs = 60_000
/** The used time of an organization halves in this time. */
const halfLifeMs = 5_000

interface Job {
  organizationId: string
  work: (worker: SchemaWorker) => Promise<unknown>
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

interface Tenant {
  waiting: Job[]
  isAtWork: boolean
  usedMs: number
  usedAt: number
}

export class SchemaWorkers {
  readonly #tenants = new Map<string, Tenant>()
  readonly #idle = new Set<SchemaWorker>()
  readonly #all = new Set<SchemaWorker>()
  #atWork = 0
  #waiting = 0
  #closed = 0
  #idleTimer: ReturnType<typeof setTimeout> | undefined

  /**
   * Runs the work with a worker for it alone. Throws the errors of the work, and `SchemaFailure` `schema_check_unavailable` if
   * too many wait or no worker starts.
   */
  run<Result>(organizationId: string, work: (worker: SchemaWorker) => Promise<Result>): Promise<Result> {
    const tenant = this.#tenantOf(organizationId)
    if (tenant.waiting.length >= waitingMax || this.#waiting >= waitingOfAllMax) {
      throw new SchemaFailure(
        'schema_check_unavailable',
        'Too many values are waiting to be validated. Send the request again later.',
      )
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    tenant.waiting.push({ organizationId, work, resolve: resolve as Job['resolve'], reject })
    this.#waiting += 1
    this.#begin()
    return promise
  }

  /** The number of worker processes, for tests and metrics. */
  get size(): number {
    return this.#all.size
  }

  /** Kills all workers. Running checks fail; later checks start new workers. */
  close(): void {
    clearTimeout(this.#idleTimer)
    this.#closed += 1
    for (const worker of this.#all) worker.end()
    this.#all.clear()
    this.#idle.clear()
  }

  #tenantOf(organizationId: string): Tenant {
    let tenant = this.#tenants.get(organizationId)
    if (!tenant) {
      this.#forgetQuiet()
      tenant = { waiting: [], isAtWork: false, usedMs: 0, usedAt: 0 }
      this.#tenants.set(organizationId, tenant)
    }
    return tenant
  }

  #forgetQuiet(): void {
    for (const [id, tenant] of this.#tenants) {
      if (tenant.waiting.length === 0 && !tenant.isAtWork && recent(tenant) < 1) this.#tenants.delete(id)
    }
  }

  #begin(): void {
    while (this.#atWork < workersMax) {
      const next = this.#next()
      if (!next) return
      void this.#work(next)
    }
  }

  /** The waiting organization without a worker that used the least time. */
  #next(): Tenant | undefined {
    let next: Tenant | undefined
    if (this.#waiting === 0) return undefined
    for (const tenant of this.#tenants.values()) {
      if (tenant.isAtWork || tenant.waiting.length === 0) continue
      if (!next || recent(tenant) < recent(next)) next = tenant
    }
    return next
  }

  async #work(tenant: Tenant): Promise<void> {
    const job = tenant.waiting.shift()!
    this.#waiting -= 1
    this.#atWork += 1
    tenant.isAtWork = true
    const closed = this.#closed
    try {
      const attempt = this.#attempt(tenant, job)
      job.resolve(await attempt.catch((error) => this.#again(error, tenant, job, closed !== this.#closed)))
    } catch (error) {
      job.reject(error)
    } finally {
      tenant.isAtWork = false
      this.#atWork -= 1
      this.#begin()
      this.#endWhenIdle()
    }
  }

  async #attempt(tenant: Tenant, { work }: Job): Promise<unknown> {
    const worker = await this.#worker()
    const startedAt = performance.now()
    try {
      return await work(worker)
    } finally {
      const now = performance.now()
      tenant.usedMs = recent(tenant) + (now - startedAt)
      tenant.usedAt = now
      this.#giveBack(worker)
    }
  }

  /** A worker may have exited for an unrelated reason; if the retry fails too, the request is the cause. */
  async #again(error: unknown, tenant: Tenant, job: Job, isClosed: boolean): Promise<unknown> {
    if (!(error instanceof WorkerEnded)) throw error
    try {
      if (isClosed) throw error
      return await this.#attempt(tenant, job)
    } catch (again) {
      if (!(again instanceof WorkerEnded)) throw again
      throw new SchemaFailure('schema_check_unavailable', 'The validation was interrupted. Send the request again.', {
        cause: again,
      })
    }
  }

  async #worker(): Promise<SchemaWorker> {
    clearTimeout(this.#idleTimer)
    for (const worker of this.#idle) {
      this.#idle.delete(worker)
      if (!worker.hasEnded) return worker
      this.#all.delete(worker)
    }
    const closed = this.#closed
    try {
      const worker = await SchemaWorker.start()
      if (closed !== this.#closed) worker.end()
      this.#all.add(worker)
      return worker
    } catch (error) {
      throw new SchemaFailure('schema_check_unavailable', 'Values cannot be validated: no worker starts.', {
        cause: error,
      })
    }
  }

  #giveBack(worker: SchemaWorker): void {
    const isGone = worker.hasEnded || !this.#all.has(worker)
    if (isGone || worker.isWorn) {
      if (!isGone) worker.end()
      this.#all.delete(worker)
    } else this.#idle.add(worker)
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idleTimer)
    if (this.#atWork > 0) return
    this.#idleTimer = setTimeout(() => this.close(), idleMs)
    this.#idleTimer.unref()
  }
}

/** The recently used time of an organization. */
const recent = ({ usedMs, usedAt }: Tenant): number => usedMs * 0.5 ** ((performance.now() - usedAt) / halfLifeMs)
