/**
 * How large the texts of a drawing are. They are reckoned instead of measured, so that a layout can be made without a
 * browser and comes out the same everywhere; renderers use these sizes.
 */

/** Of a state's name, in pixels: the font of the page, semi-bold. */
export const stateFont = 16
/** Of the title of a group. */
export const groupFont = 13
/** Of the text on a transition: the font for code. */
export const labelFont = 12
export const labelLineHeight = 16
/** On each side of the text on a transition. */
export const labelPadding = 6
/** Of the clock before a deadline, with its gap. */
export const clockWidth = 16
/** How far a guard or an effect stands in below its event. */
export const labelIndent = 8
/** Above the states of a group. */
export const groupTitleHeight = 28
/** The dot where everything begins. */
export const initialSize = 12
/** Of the box of a state. */
export const stateHeight = 46

// no font of the code's list is wider than 0.602 of its size
const labelCharacter = 0.605 * labelFont
// wide letters included
const stateCharacter = 0.6 * stateFont

export const labelTextWidth = (text: string): number => text.length * labelCharacter
const groupCharacter = 0.6 * groupFont

export const groupTitleWidth = (name: string): number => name.length * groupCharacter
export const stateNameWidth = (name: string): number => name.length * stateCharacter
