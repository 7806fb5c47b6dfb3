/** Mutations from a component. */
import { useMutation } from '@tanstack/react-query'
import { createElement, useRef } from 'react'
import { useLocation } from 'wouter'
import { type Answer, type BodyOf, sent } from '../api/client.ts'
import { type ApiFailure, failureOf, type Issue } from '../api/failure.ts'
import { FailureText } from '../ui/failure-text.tsx'
import { useToasts } from '../ui/toasts.tsx'
import { useRefresh } from './context.ts'
import { describeFailure } from './describe-failure.ts'
import type { Key } from './queries.ts'
import { type Content, contentOf } from './resource.ts'

export interface ActionOptions<Value> {
  /** Toast shown on success. */
  success?: string | ((value: Value) => string)
  /** Key prefixes to refetch on success and on conflict. */
  changes?: Key[]
  /** Reloads on success what is in no query, as the session; the rest waits for it. */
  renews?: (value: Value) => Promise<void>
  /** Called on success, unless the user has gone to another page meanwhile. */
  done?: (value: Value) => void
  /** The address that a success opens, unless the user has gone to another page meanwhile. */
  opens?: (value: Value) => string
  /** Shows no toast on failure, because the caller (a form) shows the error. */
  quiet?: boolean
}

export interface Action<Given extends unknown[], Value> {
  /** Runs the mutation; does nothing while one is pending. Resolves to undefined on failure. */
  run(...given: Given): Promise<Value | undefined>
  pending: boolean
  failure: ApiFailure | undefined
  /** Validation issues of the last failure. */
  issues: Issue[]
  /** Clears the last failure. */
  reset(): void
}

/**
 * One mutation of a page.
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
  const refresh = useRefresh()
  const { say } = useToasts()
  const [, navigate] = useLocation()
  /** The page of the mutation under way. A second click can come before `isPending` renders. */
  const begunAt = useRef<string>(undefined)
  const refreshChanged = () => void Promise.all((options.changes ?? []).map(refresh))
  const mutation = useMutation<Value, ApiFailure, Given>({
    mutationFn: (given) =>
      sent(act(...given)).then(
        (body) => contentOf(body) as Value,
        (thrown) => Promise.reject(failureOf(thrown)),
      ),
    onSuccess: async (value) => {
      refreshChanged()
      const { success, renews, done, opens } = options
      if (success !== undefined) say({ tone: 'good', title: typeof success === 'string' ? success : success(value) })
      await renews?.(value)
      if (location.pathname !== begunAt.current) return
      done?.(value)
      if (opens) navigate(opens(value))
    },
    onError: (failed) => {
      // show the state that caused the conflict
      if (failed.status === 409 || failed.status === 404) refreshChanged()
      if (options.quiet && !failed.isConflict) return
      const text = createElement(FailureText, { failure: failed })
      say({ tone: 'bad', title: describeFailure(failed).title, text })
    },
  })

  async function run(...given: Given): Promise<Value | undefined> {
    if (begunAt.current !== undefined) return undefined
    begunAt.current = location.pathname
    return mutation
      .mutateAsync(given)
      .catch(() => undefined)
      .finally(() => {
        begunAt.current = undefined
      })
  }

  const failure = mutation.error ?? undefined
  return { run, pending: mutation.isPending, failure, issues: failure?.issues ?? [], reset: mutation.reset }
}
