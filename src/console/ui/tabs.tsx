/** Tabs: as links between pages, or within a page. */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'

/** Tabs with addresses. */
export function TabLinks({ label, tabs }: { label: string; tabs: { title: string; href: string }[] }) {
  const [path] = useLocation()
  // the longest matching address is current
  const around = tabs.filter(({ href }) => path === href || path.startsWith(`${href}/`))
  const current = around.sort((a, b) => b.href.length - a.href.length)[0]?.href
  const strip = useRef<HTMLElement>(null)

  // scroll the current tab into view on phones
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever it is another one
  useEffect(() => {
    const nav = strip.current
    const tab = nav?.querySelector<HTMLElement>('[aria-current]')
    if (nav && tab) nav.scrollLeft = tab.offsetLeft - nav.offsetLeft - (nav.clientWidth - tab.offsetWidth) / 2
  }, [current])

  return (
    <nav ref={strip} className="tabs" aria-label={label}>
      {tabs.map(({ title, href }) => (
        <Link key={href} href={href} className="tab" aria-current={current === href ? 'page' : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  )
}

export interface Tab {
  title: string
  content: () => ReactNode
}

/** Tabs within a page, with arrow key navigation. */
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  const [chosen, setChosen] = useState(0)
  const id = useId()
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const next = (chosen + step + tabs.length) % tabs.length
    setChosen(next)
    document.getElementById(`${id}-tab-${next}`)?.focus()
  }
  return (
    <div>
      <div className="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ title }, place) => (
          <button
            key={title}
            type="button"
            role="tab"
            id={`${id}-tab-${place}`}
            className="tab"
            aria-selected={place === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={place === chosen ? 0 : -1}
            onClick={() => setChosen(place)}
          >
            {title}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-tab-${chosen}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is in it may scroll, so the keyboard has to get into it
        tabIndex={0}
        className="tab-panel"
      >
        {tabs[chosen]?.content()}
      </div>
    </div>
  )
}
