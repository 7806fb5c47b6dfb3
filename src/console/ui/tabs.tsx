/** Tabs: as links between pages, or within a page. */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useView } from '../use-view.ts'

/** Tabs with addresses. */
export function TabLinks({ label, tabs }: { label: string; tabs: { title: string; href: string }[] }) {
  const [path] = useLocation()
  // the longest matching address is current
  const around = tabs.filter(({ href }) => path === href || path.startsWith(`${href}/`))
  const current = around.sort((a, b) => b.href.length - a.href.length)[0]?.href
  const strip = useRef<HTMLElement>(null)

  // scroll the current tab into view on phones
  // biome-ignore lint/correctness/useExhaustiveDependencies: on each change of the current tab
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

interface TabsProps {
  label: string
  tabs: Tab[]
}

/** `Params and output` → `params-and-output` */
const wordOf = ({ title }: Tab) => title.toLowerCase().replace(/[^a-z]+/g, '-')

/** Tabs of a page, with arrow key navigation. The chosen one is in the address: `?tab=journal`, or under another name. */
export function Tabs({ label, tabs, name = 'tab' }: TabsProps & { name?: string }) {
  const words = tabs.map(wordOf)
  const [shown, show] = useView(name, words)
  return (
    <TabPanels
      label={label}
      tabs={tabs}
      chosen={words.indexOf(shown)}
      onChoose={(place) => show(words[place] ?? shown)}
    />
  )
}

/** The same for a part of a page that is not in the address, such as a dialog. */
export function InnerTabs({ label, tabs }: TabsProps) {
  const [chosen, setChosen] = useState(0)
  return <TabPanels label={label} tabs={tabs} chosen={chosen} onChoose={setChosen} />
}

interface TabPanelsProps extends TabsProps {
  /** Index among the tabs. */
  chosen: number
  onChoose: (place: number) => void
}

function TabPanels({ label, tabs, chosen, onChoose }: TabPanelsProps) {
  const id = useId()
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const place = { ArrowRight: chosen + 1, ArrowLeft: chosen - 1, Home: 0, End: -1 }[event.key]
    if (place === undefined) return
    // otherwise Home and End scroll the page, too
    event.preventDefault()
    const next = (place + tabs.length) % tabs.length
    onChoose(next)
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
            onClick={() => onChoose(place)}
          >
            {title}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-tab-${chosen}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its content may scroll, so it must be focusable
        tabIndex={0}
        className="tab-panel"
      >
        {tabs[chosen]?.content()}
      </div>
    </div>
  )
}
