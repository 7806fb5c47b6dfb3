/** Toasts, announced to screen readers. They are in the top layer, above modal dialogs. */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { IconButton } from './forms/button.tsx'
import { Icon } from './icon.tsx'

export interface Toast {
  tone: 'good' | 'bad' | 'plain'
  title: string
  text?: ReactNode
}

interface Toasts {
  say(toast: Toast): void
}

const shownMs = 6_000
const ToastsContext = createContext<Toasts>({ say() {} })

export const useToasts = (): Toasts => useContext(ToastsContext)

export function ToastsProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<(Toast & { id: number })[]>([])
  const count = useRef(0)
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>())
  const isGone = useRef(false)
  const dismiss = useCallback((id: number) => setToasts((now) => now.filter((toast) => toast.id !== id)), [])
  const say = useCallback(
    (toast: Toast) => {
      // the answer of a request may arrive after its page
      if (isGone.current) return
      const id = ++count.current
      setToasts((now) => [...now.slice(-3), { ...toast, id }])
      // an error stays until dismissed
      if (toast.tone === 'bad') return
      const timer = setTimeout(() => {
        timers.current.delete(timer)
        dismiss(id)
      }, shownMs)
      timers.current.add(timer)
    },
    [dismiss],
  )
  // clear timers on unmount
  useEffect(() => {
    const running = timers.current
    isGone.current = false
    return () => {
      isGone.current = true
      for (const timer of running) clearTimeout(timer)
    }
  }, [])
  const layer = useRef<HTMLElement>(null)
  // re-enter the top layer with each toast, because a dialog may have opened since
  const newest = toasts.at(-1)?.id
  useEffect(() => {
    const popover = layer.current
    if (newest === undefined || !popover) return
    popover.showPopover()
    return () => popover.hidePopover()
  }, [newest])
  const known = useMemo(() => ({ say }), [say])
  return (
    <ToastsContext.Provider value={known}>
      {children}
      <section ref={layer} popover="manual" className="toasts" aria-label="Messages" aria-live="polite">
        {toasts.map(({ id, tone, title, text }) => (
          <div key={id} className={`toast toast-${tone}`}>
            <Icon name={tone === 'bad' ? 'warning' : 'check'} />
            <div>
              <strong>{title}</strong>
              {text && <p>{text}</p>}
            </div>
            <IconButton label="Dismiss" icon="close" small onClick={() => dismiss(id)} />
          </div>
        ))}
      </section>
    </ToastsContext.Provider>
  )
}
