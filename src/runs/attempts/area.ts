/** The runner protocol: how runners lease attempts and report them. */
import type { Area } from '../../platform/area.ts'
import type { Attempts } from './attempts.ts'
import { type RunnerRoutesParts, runnerRoutes } from './routes.ts'

type Opened = 'leasing' | 'attemptReports' | 'operations' | 'modelCalls'

interface AttemptAreaParts extends Omit<RunnerRoutesParts, Opened> {
  attempts: Pick<Attempts, Opened>
}

export const attemptsArea = {
  routes: ({ attempts, ...parts }: AttemptAreaParts) => {
    const { leasing, attemptReports, operations, modelCalls } = attempts
    return runnerRoutes({ ...parts, leasing, attemptReports, operations, modelCalls })
  },
} satisfies Area
