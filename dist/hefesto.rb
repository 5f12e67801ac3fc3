class Hefesto < Formula
  desc "Forge for Agent Skills"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@MACOS_ARM_URL@"
      sha256 "@MACOS_ARM_SHA256@"
    end
    on_intel do
      url "@MACOS_INTEL_URL@"
      sha256 "@MACOS_INTEL_SHA256@"
    end
  end

  on_linux do
    on_arm do
      url "@LINUX_ARM_URL@"
      sha256 "@LINUX_ARM_SHA256@"
    end
    on_intel do
      url "@LINUX_INTEL_URL@"
      sha256 "@LINUX_INTEL_SHA256@"
    end
  end

  def install
    bin.install "hefesto"
    generate_completions_from_executable(bin/"hefesto", "completions", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/hefesto --version")
  end
end
