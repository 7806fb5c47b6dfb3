/**
 * The order of an attempt's reports: each is passed on in the go in which it comes, unless something of the attempt is still
 * being fetched; then it waits for that.
 */
import type { AttemptSession } from '../sessions.ts'

/** Does something with the session, at once if nothing of the attempt is still being prepared, else after it. */
export function inTurn<Result>(
  session: AttemptSession,
  work: (session: AttemptSession) => Promise<Result>,
): Promise<Result> {
  return session.preparing ? session.preparing.then(() => inTurn(session, work)) : work(session)
}

/** Goes on with a value that may still have to be fetched; later reports of the attempt wait for it. */
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
