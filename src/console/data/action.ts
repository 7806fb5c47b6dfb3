/** Changing something through the API from a component. */
import { createElement, useRef, useState } from 'react'
import { type Answer, type BodyOf, sent } from '../api/client.ts'
import { type ApiFailure, failureOf, type Issue } from '../api/failure.ts'
import { FailureText } from '../ui/failure-text.tsx'
import { useToasts } from '../ui/toasts.tsx'
import type { Key } from './cache.ts'
import { useAccess } from './context.ts'
import { describeFailure } from './describe-failure.ts'
import type { Content } from './resource.ts'

export interface ActionOptions<Value> {
  /** Said when it has worked. */
  success?: string | ((value: Value) => string)
  /** What has changed by it: the beginnings of keys, read again whether it worked or met a conflict. */
  changes?: Key[]
  /** After it has worked. */
  done?: (value: Value) => void
  /** Said by the caller itself (a form shows its failure): no toast. */
  quiet?: boolean
}

export interface Action<Given extends unknown[], Value> {
  /** Does it. One at a time: while one is under way this does nothing. Resolves to undefined when it failed. */
  run(...given: Given): Promise<Value | undefined>
  pending: boolean
  failure: ApiFailure | undefined
  /** Of the last failure, for the fields of a form. */
  issues: Issue[]
  /** Forgets the last failure. */
  reset(): void
}

/**
 * One action of a page.
 *
 *     const pause = useAction(() => api.v1.projects({ projectId }).patch({ status: 'paused' }), {
 *       success: 'Paused', changes: [['projects']] })
 *     <Button pending={pause.pending} onClick={() => pause.run()}>Pause</Button>
 */
export function useAction<Given extends unknown[], Answered extends Answer>(
  act: (...given: Given) => Promise<Answered>,
  options: ActionOptions<Content<BodyOf<Answered>>> = {},
): Action<Given, Content<BodyOf<Answered>>> {
  type Value = Content<BodyOf<Answered>>
  const { cache } = useAccess()
  const { say } = useToasts()
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<ApiFailure>()
  const underWay = useRef(false)

  const refresh = () => Promise.all((options.changes ?? []).map((key) => cache.refresh(key)))

  async function run(...given: Given): Promise<Value | undefined> {
    if (underWay.current) return undefined
    underWay.current = true
    setPending(true)
    setFailure(undefined)
    try {
      const body = (await sent(act(...given))) as unknown
      const value = (typeof body === 'object' && body !== null && 'data' in body ? body.data : body) as Value
      void refresh()
      const { success, done } = options
      if (success !== undefined) say({ tone: 'good', title: typeof success === 'string' ? success : success(value) })
      done?.(value)
      return value
    } catch (thrown) {
      const failed = failureOf(thrown)
      setFailure(failed)
      // what stood in the way is what the page is to show
      if (failed.status === 409 || failed.status === 404) void refresh()
      if (!options.quiet || failed.isOvertaken) {
        const text = createElement(FailureText, { failure: failed })
        say({ tone: 'bad', title: describeFailure(failed).title, text })
      }
      return undefined
    } finally {
      underWay.current = false
      setPending(false)
    }
  }

  return { run, pending, failure, issues: failure?.issues ?? [], reset: () => setFailure(undefined) }
}
