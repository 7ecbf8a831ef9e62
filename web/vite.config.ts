import { defineConfig } from "vitest/config";

// One script and one style sheet with fixed names: the binary of the server embeds them, and a report has them inline.
// Fonts remain separate files.
export default defineConfig({
  base: "./",
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    target: "es2021",
    outDir: process.env.CANOPY_PAGE_OUT ?? "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    rollupOptions: {
      output: {
        entryFileNames: "page/page.js",
        assetFileNames: "page/[name][extname]",
        inlineDynamicImports: true,
      },
    },
  },
  test: {
    projects: [
      { extends: true, test: { name: "unit", include: ["tests/unit/**/*.test.{ts,tsx}"] } },
      {
        extends: true,
        test: {
          name: "pages",
          include: ["tests/pages/**/*.test.ts"],
          testTimeout: 150_000,
          hookTimeout: 150_000,
          poolOptions: { forks: { singleFork: true } },
        },
      },
      {
        extends: true,
        test: {
          name: "screenshots",
          include: ["tests/pages/screenshots.ts", "tests/pages/demo_pictures.ts"],
        },
      },
      { extends: true, test: { name: "measure", include: ["tests/pages/measure.ts"] } },
    ],
  },
});
