/** Cancels runs, a few at a time, and reports the progress. */
import { useRef, useState } from 'react'
import { sent } from '../../../../api/client.ts'
import { byKey, keyFor } from '../../../../api/console-key.ts'
import { type ApiFailure, failureOf } from '../../../../api/failure.ts'
import { useApi, useRefresh } from '../../../../data/context.ts'
import { pause } from '../../../../data/pause.ts'
import { operation } from '../../run/cancel/key-note.tsx'

const atOnce = 4
/** Attempts per run when a request is refused for now, such as by a rate limit. */
const triesMax = 5
const failuresShown = 20

export interface Progress {
  total: number
  done: number
  failed: number
  /** The first failures. */
  failures: { runId: string; message: string }[]
  isOver: boolean
}

export function useCancelMany() {
  const api = useApi()
  const refresh = useRefresh()
  const [progress, setProgress] = useState<Progress>()
  const [refused, setRefused] = useState<ApiFailure>()
  const stopping = useRef<AbortController>(undefined)

  async function cancelOne(runId: string, signal: AbortSignal): Promise<ApiFailure | undefined> {
    for (let tries = 1; ; tries += 1) {
      try {
        const { cancel } = api.v1['agent-runs']({ agentRunId: runId })
        await sent(byKey(api, operation, (key) => cancel.post(undefined, key)))
        return undefined
      } catch (thrown) {
        const failure = failureOf(thrown)
        if (!failure.isPassing || tries === triesMax || signal.aborted) return failure
        await pause(1_000 * tries, signal)
      }
    }
  }

  async function run(runIds: readonly string[]): Promise<void> {
    setRefused(undefined)
    try {
      await keyFor(api, operation)
    } catch (thrown) {
      setRefused(failureOf(thrown))
      return
    }
    const controller = new AbortController()
    stopping.current = controller
    const now: Progress = { total: runIds.length, done: 0, failed: 0, failures: [], isOver: false }
    setProgress(now)
    const left = [...runIds]
    const worker = async () => {
      while (!controller.signal.aborted) {
        const runId = left.shift()
        if (runId === undefined) return
        const failure = await cancelOne(runId, controller.signal)
        if (failure) {
          now.failed += 1
          if (now.failures.length < failuresShown) now.failures.push({ runId, message: failure.message })
        } else now.done += 1
        setProgress({ ...now })
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    setProgress({ ...now, isOver: true })
    void refresh(['runs'])
  }

  return {
    run,
    progress,
    /** The console could not create an API key. */
    refused,
    /** Runs not canceled yet are left as they are. */
    stop: () => stopping.current?.abort(),
    reset() {
      setProgress(undefined)
      setRefused(undefined)
    },
  }
}
