/** Changes that start again when somebody else was faster. */
import { StaleWrite } from '../../../../storage/errors.ts'
import { serviceUnavailable } from '../answers/errors.ts'

/** Each time that a change is overtaken, another one has come through. */
const triesMax = 50

/**
 * The result of the attempt, which reads, decides and commits anew each time that its commit fails with `StaleWrite`.
 * Throws what the attempt throws, and 503 when it is overtaken again and again.
 */
export async function untilNotOvertaken<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; tries <= triesMax; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof StaleWrite)) throw error
    }
  }
  throw serviceUnavailable('Too many changes of this at the same moment.')
}
