/** Retries changes after a conflict with another change. */
import { StaleWrite } from '../../../../storage/errors.ts'
import { serviceUnavailable } from '../answers/errors.ts'

/** Each conflict means that another change was committed. */
const triesMax = 50

/**
 * The result of `attempt`, which reads, decides and commits again each time its commit fails with `StaleWrite`. Throws the
 * errors of `attempt`, and 503 after too many conflicts.
 */
export async function retryOnConflict<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; tries <= triesMax; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof StaleWrite)) throw error
    }
  }
  throw serviceUnavailable('Too many concurrent changes to this resource.')
}
