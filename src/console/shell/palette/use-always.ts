/** Commands that are available everywhere. */
import { useMemo, useRef } from 'react'
import { useSignOut } from '../../session/use-sign-out.ts'
import { chooseTheme, type Theme, themes } from '../theme.ts'
import type { Command } from './commands.ts'

const titles: Record<Theme, string> = { system: 'Theme of the system', light: 'Light theme', dark: 'Dark theme' }
const icons = { system: 'screen', light: 'sun', dark: 'moon' } as const

export function useAlways(showShortcuts: () => void): Command[] {
  const leave = useSignOut()
  const latest = useRef({ showShortcuts, leave })
  latest.current = { showShortcuts, leave }
  return useMemo(
    () => [
      {
        id: 'shortcuts',
        title: 'Keyboard shortcuts',
        icon: 'key',
        keys: ['?'],
        also: 'help',
        run: () => latest.current.showShortcuts(),
      },
      ...themes.map(
        (theme): Command => ({
          id: `theme ${theme}`,
          title: titles[theme],
          icon: icons[theme],
          also: 'appearance mode',
          run: () => chooseTheme(theme),
        }),
      ),
      {
        id: 'reference',
        title: 'API reference',
        icon: 'book',
        also: 'documentation help',
        run: () => void window.open('/docs', '_blank', 'noreferrer'),
      },
      { id: 'sign-out', title: 'Sign out', icon: 'out', also: 'log out', run: () => void latest.current.leave.run() },
    ],
    [],
  )
}
