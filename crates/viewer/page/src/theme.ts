// Light and dark, and the colours that the 3-D view and the chart share with the style sheet (page.css reads the same
// names as custom properties).
//
// Modes: blue, orange and grey of Okabe and Ito, which people with every common colour blindness tell apart.

import type { Mode } from "./protocol";

export interface Theme {
  name: "light" | "dark";
  /** Colours of the contact modes. */
  mode: Record<Mode, string>;
  ground: string;
  gridLine: string;
  axisX: string;
  axisY: string;
  skyLight: string;
  groundLight: string;
  ambient: number;
  sun: number;
  /** Of the light from everywhere that bodies mirror. */
  studio: number;
  /** Bodies nobody coloured, and things fixed to the world. */
  bodies: readonly string[];
  fixed: string;
  edge: string;
  chart: string;
  /** Several curves in one plot: Okabe and Ito's, apart from each other. */
  curves: readonly string[];
  hand: string;
  trail: string;
  mass: string;
  joint: string;
}

export const THEMES: Record<"light" | "dark", Theme> = {
  light: {
    name: "light",
    mode: { open: "#7d8590", stick: "#0072b2", slide: "#d55e00" },
    ground: "#f3f5f7",
    gridLine: "#8b98a6",
    axisX: "#b5566a",
    axisY: "#5d9468",
    skyLight: "#ffffff",
    groundLight: "#cfd6dd",
    ambient: 0.2,
    sun: 1.65,
    studio: 0.28,
    bodies: ["#c2cbd4", "#d8ccb6", "#a8b8c9", "#b9c8bf", "#cfc2bd", "#98a5b3", "#cbcbbb", "#b5b6c8"],
    fixed: "#c3c9d0",
    edge: "#1c2630",
    chart: "#5b6b7b",
    curves: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#5c6975"],
    hand: "#009e73",
    trail: "#cc4778",
    mass: "#8a3ffc",
    joint: "#b26a00",
  },
  dark: {
    name: "dark",
    mode: { open: "#9aa4af", stick: "#56b4e9", slide: "#f0a030" },
    ground: "#2a3038",
    gridLine: "#6f7e8e",
    axisX: "#d77a8c",
    axisY: "#7fbf8e",
    skyLight: "#dfe8f2",
    groundLight: "#39424c",
    ambient: 0.2,
    sun: 1.7,
    studio: 0.32,
    bodies: ["#a3afbb", "#bcab8c", "#7f95ac", "#93aa9d", "#b09e98", "#76859a", "#a9aa96", "#9293ae"],
    fixed: "#6d7681",
    edge: "#0b0e12",
    chart: "#9fb0c2",
    curves: ["#56b4e9", "#f0a030", "#3fc79a", "#e59ac6", "#e0d060", "#a9c7ff", "#97a3af"],
    hand: "#3fc79a",
    trail: "#ff7ba9",
    mass: "#bb8cff",
    joint: "#ffc15e",
  },
};

export function preferredTheme(): Theme {
  return THEMES[matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"];
}

/** Tells the style sheet; the view and the chart are told by the caller. */
export function applyTheme(theme: Theme): void {
  const root = document.documentElement;
  root.dataset["theme"] = theme.name;
  for (const [mode, colour] of Object.entries(theme.mode)) root.style.setProperty(`--${mode}`, colour);
}
