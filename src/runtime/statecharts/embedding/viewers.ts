/** Viewers with a ticket for an actor: they can see it while its issuer can, until the ticket expires. */
import { ApiError, invalidTicket, permissionDenied } from '../../../platform/http/answers/errors.ts'
import { maySomewhere } from '../../../platform/http/guard/authorization-scope.ts'
import type { Caller, CallerNow, CredentialHolder } from '../../../platform/http/guard/caller.ts'
import type { Admission, StreamRegister } from '../../../platform/http/guard/open-stream.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Address } from '../../kind.ts'
import type { Watch } from '../live/watch.ts'
import type { EmbedTickets } from './tickets.ts'

export interface ViewerParts {
  embedTickets: EmbedTickets
  callerNow: CallerNow
  streams: StreamRegister
  clock: Clock
}

/** The holder of a valid ticket. */
interface Viewer {
  admission: Admission
}

const isRefusal = (error: unknown): boolean => error instanceof ApiError && [401, 403, 404].includes(error.status)

export class Viewers {
  constructor(private readonly parts: ViewerParts) {}

  /** Throws `invalid_ticket` (403) unless the ticket is for this actor, and its issuer sees it. */
  async admit(watch: Watch, { kind, id }: Address, text: string): Promise<Viewer> {
    const { embedTickets, streams, clock } = this.parts
    const { address, holder, endsAt } = await embedTickets.read(text)
    if (address.kind !== kind || address.id !== id) throw invalidTicket('unknown')
    const issuer = await this.#issuer(holder)
    if (!issuer || !mayRead(watch, issuer) || !(await watch.isVisible(issuer, id))) throw invalidTicket('withdrawn')

    const assertMayRead = (now: Caller) => {
      if (!mayRead(watch, now)) throw permissionDenied(watch.readPermission)
    }
    return {
      admission: {
        // the viewer's streams count among those of the issuer
        async hold(stream) {
          const held = await streams.hold(issuer, assertMayRead, stream)
          const end = clock.after(Math.max(0, endsAt - clock.now()), () => stream.revoke(invalidTicket('expired')))
          return {
            release() {
              end.cancel()
              held.release()
            },
          }
        },
      },
    }
  }

  async #issuer(holder: CredentialHolder): Promise<Caller | undefined> {
    try {
      return await this.parts.callerNow(holder)
    } catch (error) {
      if (isRefusal(error)) return undefined
      throw error
    }
  }
}

const mayRead = ({ readPermission, orPermissions }: Watch, caller: Caller): boolean =>
  [readPermission, ...orPermissions].some((permission) => maySomewhere(caller, permission))
