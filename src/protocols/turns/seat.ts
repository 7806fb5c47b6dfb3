/** A place among the credential's open streams, taken before anything is started. */
import { permissionDenied } from '../../platform/http/answers/errors.ts'
import { maySomewhere } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Admission, OpenStream } from '../../platform/http/guard/open-stream.ts'

/** The permission to follow a run. */
export const watches = 'agent-runs:stream'

export interface Seat {
  /** For the streams that are opened in this place, one after the other. */
  admission: Admission
  /** Idempotent. */
  release(): void
}

/** Throws `permission_denied`, `too_many_streams` and `limit_exceeded`. */
export async function takeSeat(caller: Caller, admission: Admission): Promise<Seat> {
  if (!maySomewhere(caller, watches)) throw permissionDenied(watches)
  let current: OpenStream | undefined
  const { release } = await admission.hold({
    isVisible: async (now) => (current ? current.isVisible(now) : true),
    revoke: (refusal) => current?.revoke(refusal),
  })
  const hold = async (stream: OpenStream) => {
    current = stream
    return { release: () => {} }
  }
  return { admission: { hold }, release }
}
