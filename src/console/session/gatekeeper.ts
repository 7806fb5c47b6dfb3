/** Session state: signs in and out, and detects an ended session. Source: contract 1, "Session". */
import { type Api, createApi, sent } from '../api/client.ts'
import { ApiFailure } from '../api/failure.ts'
import type { Fetch, Gate } from '../api/transport.ts'
import type { Session, SessionStatus } from './session.ts'

export class Gatekeeper implements Gate {
  #status: SessionStatus = { is: 'unknown' }
  readonly #watchers = new Set<() => void>()
  readonly #api: Api
  #checking: Promise<boolean> | undefined

  constructor(parts: { origin: string; fetch: Fetch }) {
    this.#api = createApi({ ...parts, gate: this })
  }

  get status(): SessionStatus {
    return this.#status
  }

  subscribe = (changed: () => void): (() => void) => {
    this.#watchers.add(changed)
    return () => this.#watchers.delete(changed)
  }

  csrfToken(): string | undefined {
    return this.#status.is === 'signedIn' ? this.#status.session.csrfToken : undefined
  }

  /** Asks the server for the session; concurrent calls share one request. */
  check(): Promise<boolean> {
    this.#checking ??= this.#ask().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  /** Rejects with `ApiFailure`. */
  async signIn(email: string, password: string, organization?: string): Promise<void> {
    const within = organization ? { organization } : {}
    const { data } = await sent(this.#api.auth.sessions.post({ email, password, ...within }))
    this.begin(data)
  }

  /** Starts a session, however it was created. */
  begin(session: Session): void {
    this.#set({ is: 'signedIn', session, over: false })
  }

  async signOut(): Promise<void> {
    await sent(this.#api.auth.session.delete()).catch((thrown: unknown) => {
      // 401: the session has already ended
      if (!(thrown instanceof ApiFailure && thrown.status === 401)) throw thrown
    })
    this.#set({ is: 'signedOut' })
  }

  async #ask(): Promise<boolean> {
    try {
      const { data } = await sent(this.#api.auth.session.get())
      this.begin(data)
      return true
    } catch (thrown) {
      const isOver = thrown instanceof ApiFailure && thrown.status === 401
      const { is } = this.#status
      if (isOver && this.#status.is === 'signedIn') this.#set({ ...this.#status, over: true })
      else if (isOver) this.#set({ is: 'signedOut' })
      else if (is === 'unknown' || is === 'unreachable') this.#set({ is: 'unreachable' })
      return !isOver && is === 'signedIn'
    }
  }

  #set(status: SessionStatus): void {
    this.#status = status
    for (const changed of this.#watchers) changed()
  }
}
