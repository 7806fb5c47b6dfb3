/** Light or dark theme: the system's, unless the user chose one. */
import { useSyncExternalStore } from 'react'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'troupe.theme'
const watchers = new Set<() => void>()
const isTheme = (value: unknown): value is Theme => themes.includes(value as Theme)

/** The stored choice; storage may be unavailable. */
function chosenTheme(): Theme {
  try {
    const stored = localStorage.getItem(key)
    return isTheme(stored) ? stored : 'system'
  } catch {
    return 'system'
  }
}

const systemIsDark = () => matchMedia('(prefers-color-scheme: dark)')

function applyTheme(): void {
  const chosen = chosenTheme()
  const dark = chosen === 'dark' || (chosen === 'system' && systemIsDark().matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  for (const changed of watchers) changed()
}

/** Applies the theme before the first render and on system changes. */
export function startTheme(): void {
  applyTheme()
  systemIsDark().addEventListener('change', applyTheme)
}

export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(key, theme)
  } catch {
    document.documentElement.dataset.theme = theme
  }
  applyTheme()
}

const watch = (changed: () => void) => {
  watchers.add(changed)
  return () => void watchers.delete(changed)
}

export const useTheme = (): Theme => useSyncExternalStore(watch, chosenTheme)
