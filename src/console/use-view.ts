/** The view of a page, in its address: `?tab=journal`. Each is a history entry, so that Back returns to the previous one. */
import { useRef } from 'react'
import { useSearchParams } from 'wouter'
import { useAtOnce } from './use-at-once.ts'

/** The first view has no parameter; an unknown one shows it too. */
export function useView<View extends string>(
  name: string,
  views: readonly [View, ...View[]] | readonly View[],
): [View, (view: View) => void] {
  const [params, setParams] = useSearchParams()
  const [first] = views as readonly [View]
  const asked = params.get(name)
  const [shown, setShown] = useAtOnce(views.find((view) => view === asked) ?? first)
  // a second click can come before the first one is rendered
  const latest = useRef(shown)
  latest.current = shown
  const show = (view: View) => {
    if (view === latest.current) return
    latest.current = view
    setShown(view)
    setParams((now) => {
      const next = new URLSearchParams(now)
      if (view === first) next.delete(name)
      else next.set(name, view)
      return next
    })
  }
  return [shown, show]
}
