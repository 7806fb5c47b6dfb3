/** Account menu: user, theme, sign-out. */
import { useId } from 'react'
import { Link } from 'wouter'
import { useAction } from '../data/action.ts'
import type { Place } from '../places.ts'
import { at, organizationOf } from '../places.ts'
import { useSession } from '../session/session.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { chooseTheme, type Theme, themes, useTheme } from './theme.ts'

const drawings: Record<Theme, IconName> = { system: 'screen', light: 'sun', dark: 'moon' }
const names: Record<Theme, string> = { system: 'System', light: 'Light', dark: 'Dark' }

export function ThemeSwitch() {
  const chosen = useTheme()
  // unique: there may be several on a page
  const group = useId()
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">Theme</legend>
      {themes.map((theme) => (
        <label key={theme} className="segment">
          <input
            type="radio"
            name={group}
            value={theme}
            checked={chosen === theme}
            onChange={() => chooseTheme(theme)}
          />
          <Icon name={drawings[theme]} />
          {names[theme]}
        </label>
      ))}
    </fieldset>
  )
}

export function AccountMenu({ place }: { place: Place | undefined }) {
  const { session, signOut } = useSession()
  const { name, email } = session.user
  const leave = useAction(async () => {
    await signOut()
    return { data: undefined, error: null, status: 204 }
  })
  return (
    <>
      <button type="button" className="account-button" popoverTarget="account" aria-label={`Account of ${name}`}>
        <span className="avatar" aria-hidden="true">
          {[...name][0]?.toUpperCase() ?? '?'}
        </span>
      </button>
      <div id="account" popover="auto" className="account">
        <div className="account-who">
          <strong>{name}</strong>
          <span className="faint">{email}</span>
        </div>
        <ThemeSwitch />
        <nav className="account-links" aria-label="Account">
          {place && (
            <Link href={at(organizationOf(place), 'settings', 'account')}>
              <Icon name="user" /> Your account
            </Link>
          )}
          <a href="/docs" target="_blank" rel="noreferrer">
            <Icon name="book" /> API reference
          </a>
          <button type="button" onClick={() => leave.run()}>
            <Icon name="out" /> Sign out
          </button>
        </nav>
      </div>
    </>
  )
}
