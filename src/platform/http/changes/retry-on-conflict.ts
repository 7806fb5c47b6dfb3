/** Changes that are tried again after a conflict with another change. */
import { StaleWrite } from '../../../../storage/errors.ts'
import { serviceUnavailable } from '../answers/errors.ts'

/** Each time that a change meets a conflict, another one has been committed. */
const triesMax = 50

/**
 * The result of the attempt, which reads, decides and commits anew each time that its commit fails with `StaleWrite`.
 * Throws what the attempt throws, and 503 when it keeps meeting conflicts.
 */
export async function retryOnConflict<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; tries <= triesMax; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof StaleWrite)) throw error
    }
  }
  throw serviceUnavailable('Too many changes of this at the same moment.')
}
