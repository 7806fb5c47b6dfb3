/** Frame around every page: sidebar, switchers, account. */
import { type ReactNode, useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { Place } from '../places.ts'
import { at, organizationOf } from '../places.ts'
import { IconButton } from '../ui/forms/button.tsx'
import { Dialog } from '../ui/forms/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { AccountMenu } from './account-menu.tsx'
import { Mark } from './mark.tsx'
import { currentEntry, navigationOf } from './navigation.ts'
import { Switchers } from './switchers.tsx'
import { useWaitingApprovals, WaitingCount } from './waiting-approvals.tsx'

function Navigation({ place, waiting }: { place: Place; waiting: number }) {
  const [path] = useLocation()
  const groups = navigationOf(place)
  const current = currentEntry(groups, path)
  return (
    <nav className="navigation" aria-label="Console">
      {groups.map(({ title, entries }) => (
        <div key={title} className="navigation-group">
          <h2>{title}</h2>
          <ul>
            {entries.map(({ title, icon, href, isInbox }) => (
              <li key={href}>
                <Link href={href} className="navigation-link" aria-current={href === current ? 'page' : undefined}>
                  <Icon name={icon} />
                  {title}
                  {isInbox && <WaitingCount count={waiting} />}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

export function Shell({ place, children }: { place: Place; children: ReactNode }) {
  const [path] = useLocation()
  const [drawer, setDrawer] = useState(false)
  const waiting = useWaitingApprovals(place)

  // biome-ignore lint/correctness/useExhaustiveDependencies: going somewhere closes the drawer
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
        <span className="topbar-menu" data-waiting={waiting > 0 || undefined}>
          <IconButton label="Menu" icon="menu" onClick={() => setDrawer(true)} />
        </span>
        <Switchers place={place} />
        <AccountMenu place={place} />
      </header>
      <Dialog title="Troupe" shape="drawer" open={drawer} onClose={() => setDrawer(false)}>
        <Navigation place={place} waiting={waiting} />
      </Dialog>
      <main id="content" className="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}
