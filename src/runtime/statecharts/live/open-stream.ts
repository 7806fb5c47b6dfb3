/** Opens an actor's stream for one request: its starting position, and how long its reader has access. */
import type { Admission } from '../../../platform/http/guard/open-stream.ts'
import { followActor, type ShowMove } from './follow.ts'
import { lastEventIdOf } from './last-event-id.ts'
import { type ActorView, viewActor } from './view.ts'
import type { Watch } from './watch.ts'

/** The reader of the stream. */
export interface StreamReader {
  request: Request
  admission: Admission
  /** The part of each transition that the reader may see; omitted: all of it. */
  shown?: { view(view: ActorView): unknown; move: ShowMove }
}

/**
 * Opens the stream of an actor that the caller may see; undefined if the reader has everything and the state is final.
 * Throws `not_found` (404), 422 for a position beyond the journal, and the errors of the admission.
 */
export async function openActorStream(
  watch: Watch,
  id: string,
  { request, admission, shown }: StreamReader,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const revocation = new AbortController()
  const held = await admission.hold({
    isVisible: (caller) => watch.isVisible(caller, id),
    revoke: () => revocation.abort(),
  })
  const onStop = () => held.release()
  try {
    const { view, sequence, isEnded } = await viewActor(watch, id)
    const after = lastEventIdOf(request, sequence)
    if (after === sequence && isEnded) {
      held.release()
      return undefined
    }
    const beginning =
      after === undefined ? { sequence, snapshot: shown ? shown.view(view) : view } : { sequence: after }
    const ends = { gone: request.signal, revoked: revocation.signal, onStop, ...(shown && { show: shown.move }) }
    return followActor(watch, id, { ...beginning, state: view.state }, ends)
  } catch (error) {
    held.release()
    throw error
  }
}
