/** Account menu: user, theme, sign-out. */
import { useId } from 'react'
import { Link } from 'wouter'
import type { Place } from '../places.ts'
import { at, organizationOf } from '../places.ts'
import { useSession } from '../session/session.ts'
import { useSignOut } from '../session/use-sign-out.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Keys } from '../ui/text/keys.tsx'
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

interface AccountMenuProps {
  place: Place | undefined
  /** Shows the sheet of shortcuts. */
  onShortcuts?: () => void
}

export function AccountMenu({ place, onShortcuts }: AccountMenuProps) {
  const { session } = useSession()
  const { name, email } = session.user
  const leave = useSignOut()
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
          {onShortcuts && (
            <button type="button" popoverTarget="account" popoverTargetAction="hide" onClick={onShortcuts}>
              <Icon name="key" /> Keyboard shortcuts <Keys keys={['?']} />
            </button>
          )}
          <button type="button" onClick={() => leave.run()}>
            <Icon name="out" /> Sign out
          </button>
        </nav>
      </div>
    </>
  )
}
