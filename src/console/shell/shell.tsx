/** Frame around every page: sidebar, switchers, account. */
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { Place } from '../places.ts'
import { at, organizationOf } from '../places.ts'
import { IconButton } from '../ui/forms/button.tsx'
import { Dialog } from '../ui/forms/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Keys } from '../ui/text/keys.tsx'
import { AccountMenu } from './account-menu.tsx'
import { useInboxCount } from './inbox-count.tsx'
import { Mark } from './mark.tsx'
import { currentEntry, navigationOf } from './navigation.ts'
import { Palette } from './palette/palette.tsx'
import { useAlways } from './palette/use-always.ts'
import { Sheet } from './shortcuts/sheet.tsx'
import { isApple, paletteKeys } from './shortcuts/shortcuts.ts'
import { useShortcuts } from './shortcuts/use-shortcuts.ts'
import { Switchers } from './switchers.tsx'
import { useWaitingApprovals, WaitingCount } from './waiting-approvals.tsx'

function Navigation({ place, waiting }: { place: Place; waiting: { approvals: number; inbox: number } }) {
  const [path] = useLocation()
  const groups = navigationOf(place)
  const current = currentEntry(groups, path)
  return (
    <nav className="navigation" aria-label="Console">
      {groups.map(({ title, entries }) => (
        <div key={title} className="navigation-group">
          <h2>{title}</h2>
          <ul>
            {entries.map(({ title, icon, href, counts, keys }) => (
              <li key={href}>
                <Link
                  href={href}
                  className="navigation-link"
                  aria-current={href === current ? 'page' : undefined}
                  aria-keyshortcuts={keys?.join(' ')}
                >
                  <Icon name={icon} />
                  {title}
                  {counts === 'approvals' && <WaitingCount count={waiting.approvals} />}
                  {counts === 'inbox' && (
                    <WaitingCount count={waiting.inbox} one="item needs attention" many="items need attention" />
                  )}
                  {keys && (
                    <span className="navigation-keys" aria-hidden="true">
                      <Keys keys={keys} />
                    </span>
                  )}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

/** Scrolls a new page to its top; on Back the browser restores the position. */
function useTop(path: string) {
  const last = useRef(path)
  const isBack = useRef(false)
  useEffect(() => {
    const note = () => {
      isBack.current = true
    }
    window.addEventListener('popstate', note)
    return () => window.removeEventListener('popstate', note)
  }, [])
  useEffect(() => {
    if (last.current !== path && !isBack.current) window.scrollTo(0, 0)
    last.current = path
    isBack.current = false
  }, [path])
}

export function Shell({ place, children }: { place: Place; children: ReactNode }) {
  const [path] = useLocation()
  const [drawer, setDrawer] = useState(false)
  const waiting = { approvals: useWaitingApprovals(place), inbox: useInboxCount() }
  const [overlay, setOverlay] = useState<'palette' | 'sheet'>()
  const close = () => setOverlay(undefined)
  const always = useAlways(() => setOverlay('sheet'))
  useShortcuts(place, {
    palette: () => setOverlay((now) => (now === 'palette' ? undefined : 'palette')),
    sheet: () => setOverlay('sheet'),
  })

  useTop(path)

  // until the page sets its own: one that is loading, missing or denied has none
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page, a new title
  useLayoutEffect(() => {
    document.title = 'Troupe'
  }, [path])

  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the drawer
  useEffect(() => setDrawer(false), [path])

  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <aside className="sidebar">
        <Link href={at(organizationOf(place))} className="brand">
          <Mark />
          Troupe
        </Link>
        <Navigation place={place} waiting={waiting} />
      </aside>
      <header className="topbar">
        <span className="topbar-menu" data-waiting={waiting.approvals + waiting.inbox > 0 || undefined}>
          <IconButton label="Menu" icon="menu" onClick={() => setDrawer(true)} />
        </span>
        <Switchers place={place} />
        <button
          type="button"
          className="topbar-search"
          aria-keyshortcuts={isApple ? 'Meta+K' : 'Control+K'}
          onClick={() => setOverlay('palette')}
        >
          <Icon name="search" />
          <span className="topbar-search-text">Search</span>
          <span aria-hidden="true">
            <Keys keys={paletteKeys} />
          </span>
        </button>
        <AccountMenu place={place} onShortcuts={() => setOverlay('sheet')} />
      </header>
      <Dialog title="Troupe" shape="drawer" open={drawer} onClose={() => setDrawer(false)}>
        <div className="drawer-switchers">
          <Switchers place={place} />
        </div>
        <Navigation place={place} waiting={waiting} />
      </Dialog>
      <Palette place={place} open={overlay === 'palette'} onClose={close} always={always} />
      <Sheet place={place} open={overlay === 'sheet'} onClose={close} />
      <main id="content" className="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}
