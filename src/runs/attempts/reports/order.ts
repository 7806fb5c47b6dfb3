/**
 * Keeps an attempt's reports in order: each is forwarded in the tick in which it arrives, unless data of the attempt is
 * still being loaded.
 */
import type { AttemptSession } from '../sessions.ts'

/** Runs `work` with the session: at once, or after the preparation in progress. */
export function inTurn<Result>(
  session: AttemptSession,
  work: (session: AttemptSession) => Promise<Result>,
): Promise<Result> {
  return session.preparing ? session.preparing.then(() => inTurn(session, work)) : work(session)
}

/** Continues with a value that may still be loading; later reports of the attempt wait for it. */
export function goOnWith<Value, Result>(
  session: AttemptSession,
  value: Value | Promise<Value>,
  next: (value: Value) => Promise<Result>,
): Promise<Result> {
  if (!(value instanceof Promise)) return next(value)
  const preparing = value.then(
    () => {},
    () => {},
  )
  session.preparing = preparing
  const done = () => {
    if (session.preparing === preparing) session.preparing = undefined
  }
  return value.then(
    (ready) => {
      done()
      return next(ready)
    },
    (error) => {
      done()
      throw error
    },
  )
}
